"""So many threads, all there at the same time: how many descriptors the process has more than without them."""
import os
import sys
import threading

count = int(sys.argv[1])
everyone = threading.Barrier(count + 1)


def descriptors():
    return len(os.listdir("/proc/self/fd"))


def body():
    everyone.wait()
    everyone.wait()


before = descriptors()
threads = [threading.Thread(target=body) for _ in range(count)]
for thread in threads:
    thread.start()
everyone.wait()
more = descriptors() - before
everyone.wait()
for thread in threads:
    thread.join()
print(more)
