#!/bin/sh
# Makes the stub's bytes from stub.c: build_stub.sh prints them as text, build_stub.sh --write
# replaces stub.hex. tests/airgap/stub_test.ts compares the two where the same compiler is at hand.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/joulemark-stub.XXXXXX")
trap 'rm -rf "$work"' EXIT
CC=${CC:-cc}

# general-regs-only: the stack is not yet where SSE wants it. No builtins, no loop patterns: there
# is no memcpy to call. The remaining flags keep out what would need libc's start-up.
"$CC" -c -o "$work/stub.o" -std=gnu11 -Wall -Wextra -Werror -Os -fPIC -ffreestanding -fno-builtin \
  -mgeneral-regs-only -mno-red-zone -fno-tree-loop-distribute-patterns -fno-stack-protector \
  -fcf-protection=none -fno-asynchronous-unwind-tables -fno-stack-clash-protection "$here/stub.c"
ld -T "$here/stub.ld" --oformat binary -o "$work/stub.bin" "$work/stub.o"

print() {
  printf '# The entry stub of the one-file executable, from stub.c; made by build_stub.sh --write.\n'
  printf '# compiler: %s\n' "$("$CC" --version | sed -n 1p)"
  printf '# sha256: %s\n' "$(sha256sum <"$work/stub.bin" | cut -d' ' -f1)"
  od -An -v -tx1 "$work/stub.bin" | tr -d ' \n' | fold -w 64
  printf '\n'
}

if [ "${1:-}" = --write ]; then print >"$here/stub.hex"; else print; fi
