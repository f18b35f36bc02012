#!/bin/sh
# Runs all tests; arguments go to `deno test` (files, --filter). Needs Deno or Node.js only.
# The last line says "N passed, N failed"; the status is that of the tests.
#
# Tests get all permissions: they start the program, compilers and MPI, and Deno opens /proc, /sys
# and /dev to nothing less. What the program itself may do is tested on the built executable.
ROOT=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$ROOT" || exit 1
. "$ROOT/airgap/find_deno.sh"

# Even when it never comes to a test there is a closing line.
log=
trap '[ -n "$log" ] || echo "0 passed, 1 failed"' EXIT

find_deno
choose_map

# End-to-end tests run the executable, so it is made first when it is missing or older than its sources.
JOULEMARK_BIN=${JOULEMARK_BIN:-$ROOT/joulemark}
if [ "$JOULEMARK_BIN" = "$ROOT/joulemark" ] && [ -f src/cli/main.ts ]; then
  changed=$(find main.ts src airgap deno.json compile.sh -type f -newer joulemark 2>/dev/null | head -n 1)
  if [ ! -x joulemark ] || [ -n "$changed" ]; then
    sh ./compile.sh || say "compile.sh failed: tests of the executable will fail"
  fi
fi
export JOULEMARK_BIN DENO
JOULEMARK_CONFIG=$CONFIG
export JOULEMARK_CONFIG

made=$(mktemp "${TMPDIR:-/tmp}/joulemark-tests.XXXXXX") || die "cannot make a temporary file"
log=$made
# One cache of interposition libraries for all tests.
JOULEMARK_TEST_CACHE=$(mktemp -d "${TMPDIR:-/tmp}/joulemark-cache.XXXXXX") || die "cannot make a directory"
export JOULEMARK_TEST_CACHE
trap 'rm -rf "$log" "$log.status" "$log.again" "$JOULEMARK_TEST_CACHE"' EXIT

# What is no option and no file that exists is left to Deno; without files, everything in tests/.
files=tests/
for argument in "$@"; do
  [ -e "$argument" ] && files=
done

{
  # word splitting is meant: nothing, or one directory
  # shellcheck disable=SC2086
  "$DENO" test --config "$CONFIG" --no-lock -A "$@" $files 2>&1
  echo $? >"$log.status"
} | tee "$log"
status=$(cat "$log.status")

# Tests run programs beside each other, on machines that others use: at most five failures get a second
# try, alone. They are named, so that a test that needs it twice is seen and mended.
plain=$(sed 's/\x1b\[[0-9;]*m//g' "$log")
# FILE<tab>NAME of each; steps are indented
again=$(printf '%s\n' "$plain" | awk '
  /^running [0-9]+ tests? from / { sub(/^.* from (\.\/)?/, ""); file = $0; next }
  / \.\.\. FAILED \(/ && !/^ / { sub(/ \.\.\. FAILED .*/, ""); print file "\t" $0 }')

# Deno's summary: ok | 12 passed (3 steps) | 0 failed | 1 ignored (1s)
summary=$(printf '%s\n' "$plain" | grep -E '^(ok|FAILED) \| [0-9]+ passed' | tail -n 1)
count() {
  printf '%s\n' "$summary" | sed -n "s/.*| \([0-9][0-9]*\) $1.*/\1/p"
}
passed=$(count passed)
failed=$(count failed)
skipped=$(count ignored)
if [ -z "$summary" ] || { [ "$status" != 0 ] && [ "${failed:-0}" = 0 ]; }; then
  # a file that does not load fails without being counted
  failed=$((${failed:-0} + 1))
fi
lines=$(printf '%s\n' "$again" | grep -c .)
if [ "$failed" -gt 0 ] && [ "$failed" -le 5 ] && [ "$lines" = "$failed" ]; then
  say "once more, alone:"
  printf '%s\n' "$again" >&2
  files=$(printf '%s\n' "$again" | cut -f 1 | sort -u)
  # shellcheck disable=SC2086
  if "$DENO" test --quiet --config "$CONFIG" --no-lock -A $files >"$log.again" 2>&1; then
    say "passed at the second try:"
    printf '%s\n' "$again" >&2
    passed=$((passed + failed))
    failed=0
    status=0
  else
    cat "$log.again"
  fi
fi
printf '%s passed, %s failed%s\n' "${passed:-0}" "$failed" "${skipped:+, $skipped skipped}"
exit "$status"
