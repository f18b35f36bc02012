"""Records services.json: plays each script with Caliper and keeps what cali-query -e shows of it.

python3 record.py PLAY CALI_QUERY: the program play.c, linked with Caliper, and its cali-query.
"""
import json
import os
import re
import subprocess
import sys
import tempfile


def iterations(loop, numbers, inside=()):
    return [
        op for i in numbers for op in [f"iter {loop} {i}", *inside, f"enditer {loop}"]
    ]


NESTED = [
    "begin main",
    "loop outer",
    *iterations("outer", range(5), ["begin work", "end work", "loop inner", *iterations("inner", range(3)), "endloop"]),
    "endloop",
    "loop inner",
    *iterations("inner", range(4)),
    "endloop",
    "loop empty",
    "endloop",
    "end main",
]
SLOW = ["loop slow", *iterations("slow", range(10, 14), ["wait 30"]), "endloop"]
# Iterations outside of loops, and of another loop than the one that is open.
STRAY = [*iterations("none", [1]), "loop a", *iterations("b", [7, 9]), "endloop"]
KEYS = [
    "begin a",
    *[op for x in ["1.0000001", "1.0000002", "-0.0", "0.0", "1.0000001"]
      for op in [f"double k {x}", "metric m " + x, "snapshot"]],
    "end a",
]
VALUES = [
    op for x in ["3", "-4", "10"] for op in [f"whole w {x}", f"metric m {x}5", "snapshot"]
] + ["metric m nan", "snapshot", "metric m 1", "snapshot"]

MONITOR = "loop_monitor,trace,recorder"
SCENARIOS = [
    ("loop_monitor", NESTED, {"CALI_SERVICES_ENABLE": MONITOR}),
    ("loop_monitor every 2", NESTED, {
        "CALI_SERVICES_ENABLE": MONITOR, "CALI_LOOP_MONITOR_ITERATION_INTERVAL": "2"}),
    ("loop_monitor every 2 of inner", NESTED, {
        "CALI_SERVICES_ENABLE": MONITOR, "CALI_LOOP_MONITOR_ITERATION_INTERVAL": "2",
        "CALI_LOOP_MONITOR_TARGET_LOOPS": "nothing,inn"}),
    ("loop_monitor by time", SLOW, {
        "CALI_SERVICES_ENABLE": MONITOR, "CALI_LOOP_MONITOR_TIME_INTERVAL": "0.045"}),
    ("loop_monitor and stray iterations", STRAY, {
        "CALI_SERVICES_ENABLE": MONITOR, "CALI_LOOP_MONITOR_ITERATION_INTERVAL": "1"}),
    ("loop_monitor with events", NESTED, {
        "CALI_SERVICES_ENABLE": "event," + MONITOR, "CALI_LOOP_MONITOR_ITERATION_INTERVAL": "3"}),
    ("loop_monitor in rows", NESTED, {
        "CALI_SERVICES_ENABLE": "loop_monitor,aggregate,recorder",
        "CALI_LOOP_MONITOR_ITERATION_INTERVAL": "2"}),
    ("loop_statistics", NESTED, {"CALI_SERVICES_ENABLE": "loop_statistics,trace,recorder"}),
    ("loop_statistics and stray iterations", STRAY, {
        "CALI_SERVICES_ENABLE": "loop_statistics,trace,recorder"}),
    ("loop_statistics in rows", NESTED, {
        "CALI_SERVICES_ENABLE": "loop_statistics,aggregate,recorder"}),
    ("keys that are doubles", KEYS, {
        "CALI_SERVICES_ENABLE": "aggregate,recorder", "CALI_AGGREGATE_KEY": "k"}),
    ("a metric as key", KEYS, {
        "CALI_SERVICES_ENABLE": "event,aggregate,recorder", "CALI_AGGREGATE_KEY": "m,k"}),
    ("whole numbers and NaN", VALUES, {"CALI_SERVICES_ENABLE": "aggregate,recorder"}),
]

# Times differ from run to run: that they are there is what counts.
TIMES = re.compile(r"(iter\.duration\.ns=)\d+")

play, cali_query = sys.argv[1:]
result = []
for name, ops, config in SCENARIOS:
    with tempfile.TemporaryDirectory() as folder:
        stream = os.path.join(folder, "run.cali")
        environment = dict(config, CALI_RECORDER_FILENAME=stream, CALI_LOG_VERBOSITY="0")
        subprocess.run([play], input="\n".join(ops) + "\n", text=True, env=environment, check=True)
        expanded = subprocess.run(
            [cali_query, "-e", stream], capture_output=True, text=True, check=True).stdout
    result.append({"name": name, "config": config, "ops": ops,
                   "records_expand": TIMES.sub(r"\1T", expanded).splitlines()})
json.dump({"scenarios": result}, sys.stdout, indent=1)
print()
