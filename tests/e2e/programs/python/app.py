"""Functions, generators, coroutines, threads and errors; prints what must not change by being watched."""
import asyncio
import os
import sys
import threading
import time
import json


def spin(seconds):
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        pass


class Solver:
    def step(self, n):
        spin(0.02)
        return sum(x for x in range(n))


def numbers():
    for i in range(3):
        spin(0.01)
        yield i


async def wait():
    await asyncio.sleep(0.05)
    return 1


async def both():
    return sum(await asyncio.gather(wait(), wait()))


def fails():
    raise ValueError("as it should")


def tiny():
    pass


def thread():
    spin(0.02)


def main():
    solver = Solver()
    out = [solver.step(10) for _ in range(5)]
    out.append(list(numbers()))
    out.append(asyncio.run(both()))
    try:
        fails()
    except ValueError as error:
        out.append(str(error))
    t = threading.Thread(target=thread)
    t.start()
    t.join()
    print(json.dumps(out))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        for _ in range(60000):
            tiny()
    else:
        main()
    sys.stderr.write(" ".join(p for p in sys.path if "joulemark/python-" in p))
    print(os.path.basename(getattr(sys.modules.get("sitecustomize"), "__file__", "none")))
