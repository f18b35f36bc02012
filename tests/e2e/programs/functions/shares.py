"""Work in the interpreter and in a library of C."""
import hashlib
import sys

total = 0
for k in range(40):
    for i in range(200000):
        total += i * i
    hashlib.sha256(b"x" * 2000000).digest()
print("done")
sys.exit(3)
