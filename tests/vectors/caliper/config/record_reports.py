"""Records profiles and the reports over them. Usage: record.py OUT BUILD DUMP PROGRAM"""
import json, os, re, subprocess, sys
out, build, dump, program = sys.argv[1:5]
query = f"{build}/src/tools/cali-query/cali-query"
CASES = {
 "serial": [
  'runtime-report',
  'runtime-report(region.count,region.stats)',
  'runtime-report(loop.stats,node.order,order_as_visited=false)',
  'runtime-report(io.bytes,io.read.bandwidth,io.write.bandwidth)',
  'runtime-report(mem.highwatermark,alloc.stats,mem.pages)',
  'runtime-report(main_thread_only,print.metadata,max_column_width=20)',
  'runtime-report(level=phase)',
  'runtime-report(exclude_regions="startswith(kernel)",region.count)',
  'runtime-report(include_branches=steps)',
  'runtime-report(local_query="let x=scale(count,2) select sum(x) as Twice")',
  'runtime-profile',
  'runtime-profile(output.format=json-split,time.inclusive,region.count)',
  'runtime-profile(output.format=json,main_thread_only,loop.stats)',
  'runtime-profile(region.stats,io.bytes,mem.highwatermark,node.order=false)',
 ],
 "mpi": [
  'runtime-report',
  'runtime-report(time.exclusive,region.count,loop.stats)',
  'runtime-report(mem.highwatermark,io.bytes,order_as_visited=false)',
  'runtime-report(cross_query="select sum(sum#report.t) as Total")',
  'runtime-profile',
  'runtime-profile(time.inclusive,output.format=json)',
  'mpi-report',
 ],
}
def mend(text):
    """As our queries differ: see MENDED in variables_vector_test.ts."""
    text = re.sub(r"select io\.region as I/O,ratio\((ib[rw])\.bytes,time\.duration\.ns",
        r"let \1.ns=first(sum#time.duration.ns,time.duration.ns) select io.region as I/O,ratio(\1.bytes,\1.ns", text)
    return re.sub(r"ratio#(ib[rw])\.bytes/time\.duration\.ns", r"ratio#\1.bytes/\1.ns", text)
def ask(text, files):
    run = subprocess.run([query, "-q", mend(text), *files], capture_output=True, cwd=out, check=True)
    assert not run.stderr, run.stderr
    return run.stdout.decode()
recorded = []
for mode, texts in CASES.items():
    env = {**os.environ, "CALI_LOG_VERBOSITY": "0"}
    made = json.loads(subprocess.run([dump, mode], input="\n".join(texts) + "\n", text=True, env=env, capture_output=True, check=True).stdout)
    for text in texts:
        variables = dict(made[text][0]["variables"])
        number = len(recorded)
        gone = {"report", "mpi", "mpireport"}
        services = [s for s in variables["CALI_SERVICES_ENABLE"].split(",") if s not in gone]
        variables["CALI_SERVICES_ENABLE"] = ",".join([*services, "recorder"])
        variables["CALI_CHANNEL_FLUSH_ON_EXIT"] = "true"
        files = []
        for rank in range(2 if mode == "mpi" else 1):
            name = f"profile_{number:02}" + (f"_{rank}" if mode == "mpi" else "") + ".cali"
            more = {"STAND_IN_RANK": str(rank)} if mode == "mpi" else {}
            subprocess.run([program], check=True, env={**env, **variables, **more, "CALI_RECORDER_FILENAME": f"{out}/{name}"})
            files.append(name)
        local = variables.get("CALI_MPIREPORT_LOCAL_CONFIG")
        inputs = files
        if local is not None:
            inputs = []
            for name in files:
                open(f"{out}/local_{name}", "w").write(ask(local, [name]))
                inputs.append("local_" + name)
        report = ask(variables.get("CALI_MPIREPORT_CONFIG") or variables["CALI_REPORT_CONFIG"], inputs)
        for name in inputs:
            if name.startswith("local_"): os.remove(f"{out}/{name}")
        recorded.append({"mode": mode, "config": text, "files": files, "report": report})
json.dump(recorded, open(f"{out}/reports.json", "w"), indent=1)
