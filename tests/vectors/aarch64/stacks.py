# Takes registers, stacks and backtraces from a program under qemu-aarch64 -g, in gdb-multiarch.
import json
import os
import gdb

NAMES = ["x%d" % i for i in range(31)] + ["sp", "pc"]
MOST = 65536
samples = []


def stack(low, high):
    data = b""
    while len(data) < min(high - low, MOST):
        try:
            data += bytes(gdb.selected_inferior().read_memory(low + len(data), 16))
        except gdb.MemoryError:
            break
    return data.hex()


def runs():
    return gdb.selected_inferior().pid != 0


def take():
    frame = gdb.newest_frame()
    registers = [int(frame.read_register(name)) & (1 << 64) - 1 for name in NAMES]
    frames = []
    # gdb cannot walk signed addresses: the first thread's stack is known to its end.
    top = first if 0 <= first - registers[31] < MOST else registers[31]
    while frame is not None:
        frames.append([frame.pc(), frame.name() or "", frame.type() == gdb.SIGTRAMP_FRAME])
        top = max(top, int(frame.read_register("sp")))
        frame = frame.older()
    samples.append({"registers": ["%x" % one for one in registers], "stack": stack(registers[31], top + 64),
                    "frames": frames})


for command in ["set pagination off", "set confirm off", "set backtrace past-main on", "set backtrace past-entry on",
                "target remote 127.0.0.1:" + os.environ["STACKS_PORT"], "handle SIGUSR1 nostop noprint pass"]:
    gdb.execute(command)
first = int(gdb.newest_frame().read_register("sp"))
for place in os.environ["STACKS_STOPS"].split(","):
    name, _, skipped = place.partition(":")
    point = gdb.Breakpoint(name)
    point.ignore_count = int(skipped or 0)
    if not runs():
        break
    gdb.execute("continue", to_string=True)
    point.delete()
    with open("/proc/%s/maps" % os.environ["STACKS_PID"]) as maps:
        text = maps.read()
    for _ in range(int(os.environ["STACKS_STEPS"])):
        if not runs():
            break
        take()
        gdb.execute("stepi", to_string=True)
with open(os.environ["STACKS_OUT"], "w") as out:
    json.dump({"samples": samples, "maps": text}, out)
if runs():
    gdb.execute("kill")
gdb.execute("quit")
