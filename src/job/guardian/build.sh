#!/bin/sh
# Makes the guardian's bytes from guardian.c: build.sh [x86_64|aarch64] prints them as text,
# build.sh --write replaces guardian_x86_64.hex and guardian_aarch64.hex. tests/job/guardian compares them
# where the same compilers are at hand.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/joulemark-guardian.XXXXXX")
trap 'rm -rf "$work"' EXIT

# general-regs-only: no vector registers before the dynamic linker. No builtins, no loop patterns:
# there is no memcpy to call. The remaining flags keep out what would need libc's start-up.
build() {
  case $1 in
    x86_64) prefix='' tuning='-mno-red-zone -fcf-protection=none' ;;
    aarch64) prefix=aarch64-linux-gnu- tuning='-mbranch-protection=none -mno-outline-atomics' ;;
    *) echo "build.sh: expected x86_64 or aarch64, found $1" >&2 && exit 2 ;;
  esac
  # shellcheck disable=SC2086
  "${prefix}gcc" -c -o "$work/$1.o" -std=gnu11 -Wall -Wextra -Werror -Os -fPIC -ffreestanding \
    -fno-builtin -mgeneral-regs-only $tuning -fno-tree-loop-distribute-patterns -fno-jump-tables \
    -fno-stack-protector -fno-asynchronous-unwind-tables -fno-stack-clash-protection \
    "$here/guardian.c"
  "${prefix}ld" -T "$here/guardian.ld" -o "$work/$1.elf" "$work/$1.o"
  "${prefix}objcopy" -O binary -j .text "$work/$1.elf" "$work/$1.bin"
  printf '# The guardian, from guardian.c; made by build.sh --write.\n'
  printf '# compiler: %s\n' "$("${prefix}gcc" --version | sed -n 1p)"
  printf '# sha256: %s\n' "$(sha256sum <"$work/$1.bin" | cut -d' ' -f1)"
  od -An -v -tx1 "$work/$1.bin" | tr -d ' \n' | fold -w 64
  printf '\n'
}

if [ "${1:-}" = --write ]; then
  for machine in x86_64 aarch64; do
    build "$machine" >"$work/hex" # not in a list with &&: it is to end where a compiler is missing
    mv "$work/hex" "$here/guardian_$machine.hex"
  done
else
  build "${1:-x86_64}"
fi
