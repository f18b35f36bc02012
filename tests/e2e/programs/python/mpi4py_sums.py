"""Messages, collectives and a file of MPI by mpi4py; rank 0 prints what came of it."""
import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
total = comm.allreduce(rank + 1)
if rank == 0:
    for other in range(1, size):
        comm.send({"to": other, "values": list(range(other))}, dest=other)
else:
    got = comm.recv(source=0)
    assert got["values"] == list(range(rank)), got
parts = comm.gather([rank] * (rank + 1), root=0)
numbers = bytearray(8 * size)
comm.Allgather(memoryview(rank.to_bytes(8, "little")), numbers)
request = comm.Ibarrier()
while not request.Test():
    pass
if rank == 0:
    print("sum", total, "of", size)
    print(parts, bytes(numbers).hex())
    sys.stdout.write("no line end")
    sys.stdout.flush()
    print("to the other one", file=sys.stderr)
sys.exit(comm.bcast(3 if rank == 0 else None))
