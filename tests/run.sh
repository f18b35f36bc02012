#!/bin/sh
# Runs all tests; arguments go to `deno test` (files, --filter). Needs Deno or Node.js only.
# The last line says "N passed, N failed"; the status is that of the tests. After JOULEMARK_TEST_LIMIT_S
# seconds (default 5400) all that it started is killed, and what hung is named.
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
trap 'rm -rf "$log" "$log".* "$JOULEMARK_TEST_CACHE"' EXIT

limit_s=${JOULEMARK_TEST_LIMIT_S:-5400}
case $limit_s in
'' | *[!0-9]*) die "JOULEMARK_TEST_LIMIT_S: expected whole seconds, found \"$limit_s\"; leave it out for 5400" ;;
esac
# Who is killed has this in its environment, whatever process group, session or parent it has by then.
mark=JOULEMARK_TEST_RUN=$$

# Waits for the time, or for this script's end; then kills what has the mark.
watch() {
  if timeout "$limit_s" cat <"$log.alive" >/dev/null; then return; fi
  : >"$log.late"
  for file in $(grep -lsxzF "$mark" /proc/[0-9]*/environ); do
    pid=${file#/proc/}
    kill -KILL "${pid%/environ}"
  done
}
mkfifo "$log.alive" || die "cannot make a pipe"
watch </dev/null >/dev/null 2>&1 &
# both ends: a watch that is not there keeps nobody waiting
exec 9<>"$log.alive"

# Tests that time nothing and mind no wait: they have what the others leave of the CPUs.
BESIDE="aggregate airgap analysis capture channels cli client collect context core files formats fuzz golden
  merge outputs page preload query rawstats readers recordings regions signals sim study
  docs_test.ts layering_test.ts security_test.ts style_test.ts"
# Of those that run the executable, where they have a /dev/shm of their own: a run sees others of its user.
BESIDE_RUNS="clean_root clients collate compare context cut_input explain markup metrics mpi mpi_all mpi_launch
  node_trees openmp page perfetto plain_user pmc preload preload_alloc preload_caliper preload_callpath preload_io
  preload_tau preload_tracks profiles python settings show_trace site_kit slurm stats study unchanged"
SHARED='mount -t tmpfs -o mode=1777 tmpfs /dev/shm && exec "$@"'
# What is no option and no file that exists is left to Deno; without files, everything in tests/.
files=tests/
for argument in "$@"; do
  [ -e "$argument" ] && files=
done

beside=
if [ -n "$files" ]; then
  quiet=
  for name in $BESIDE; do quiet="$quiet tests/$name"; done
  apart=
  if unshare -m sh -c "$SHARED" sh true 2>/dev/null; then
    apart="unshare -m sh -c"
    for name in $BESIDE_RUNS; do quiet="$quiet tests/e2e/${name}_test.ts"; done
  fi
  # word splitting is meant
  # shellcheck disable=SC2086
  env "$mark" nice -n 5 ${apart:+$apart "$SHARED" sh} \
    "$DENO" test --config "$CONFIG" --no-lock -A "$@" $quiet >"$log.beside" 2>&1 9>&- &
  beside=$!
  files="--ignore=$(echo $quiet | tr ' ' ,) $files"
fi
{
  # word splitting is meant: nothing, or an option and a directory
  # shellcheck disable=SC2086
  env "$mark" "$DENO" test --config "$CONFIG" --no-lock -A "$@" $files 2>&1 9>&-
  echo $? >"$log.status"
} 9>&- | tee "$log" 9>&-
status=$(cat "$log.status")
# Deno's summary: ok | 12 passed (3 steps) | 0 failed | 1 ignored (1s)
summary_of() {
  sed 's/\x1b\[[0-9;]*m//g' "$1" | grep -E '^(ok|FAILED) \| [0-9]+ passed' | tail -n 1
}
summary=$(summary_of "$log")
parts=1
if [ -n "$beside" ]; then
  wait "$beside" || status=$?
  summary=$(printf '%s\n%s\n' "$summary" "$(summary_of "$log.beside")")
  parts=2
  cat "$log.beside"
fi

# Tests run programs beside each other, on machines that others use: at most eight failures get a second
# try, alone. They are named, so that a test that needs it twice is seen and mended.
plain=$(cat "$log" "$log.beside" 2>/dev/null | sed 's/\x1b\[[0-9;]*m//g')
# FILE<tab>NAME of each; steps are indented
again=$(printf '%s\n' "$plain" | awk '
  /^running [0-9]+ tests? from / { sub(/^.* from (\.\/)?/, ""); file = $0; next }
  / \.\.\. FAILED \(/ && !/^ / { sub(/ \.\.\. FAILED .*/, ""); print file "\t" $0 }')

count() {
  printf '%s\n' "$summary" | sed -n "s/.*| \([0-9][0-9]*\) $1.*/\1/p" | awk '{ n += $1 } END { if (NR) print n }'
}
passed=$(count passed)
failed=$(count failed)
skipped=$(count ignored)
if [ -e "$log.late" ]; then
  hung=$log
  [ -n "$beside" ] && [ -n "$(summary_of "$log")" ] && hung=$log.beside
  # Deno says what it begins: a file, a test, and then how that went.
  hung=$(sed 's/\x1b\[[0-9;]*m//g' "$hung" | awk '
    /^running [0-9]+ tests? from / { left = $2; sub(/^.* from (\.\/)?/, ""); file = $0; next }
    / \.\.\. (ok|FAILED|ignored) \(/ && !/^ / { left-- ; next }
    / \.\.\./ && !/^ / { sub(/ \.\.\..*/, ""); name = $0 }
    END {
      if (file == "") print "before the first file"
      else if (left > 0) print file (name == "" ? "" : ": " name)
      else print "a file after " file ", before its first test"
    }')
  say "no end within $limit_s s (JOULEMARK_TEST_LIMIT_S); killed. It hung in $hung"
  passed=$(printf '%s\n' "$plain" | grep -c '^[^ ].* \.\.\. ok (')
  failed=$(printf '%s\n' "$plain" | grep -c '^[^ ].* \.\.\. FAILED (')
fi
told=$(printf '%s\n' "$summary" | grep -c .)
if [ "$told" -lt "$parts" ] || { [ "$status" != 0 ] && [ "${failed:-0}" = 0 ]; }; then
  # a file that does not load fails without being counted
  failed=$((${failed:-0} + 1))
fi
lines=$(printf '%s\n' "$again" | grep -c .)
if [ ! -e "$log.late" ] && [ "$failed" -gt 0 ] && [ "$failed" -le 8 ] && [ "$lines" = "$failed" ]; then
  say "once more, alone:"
  printf '%s\n' "$again" >&2
  files=$(printf '%s\n' "$again" | cut -f 1 | sort -u)
  names=$(printf '%s\n' "$again" | cut -f 2 | sed 's/[][\.*^$+?(){}|/]/\\&/g' | paste -s -d '|')
  # shellcheck disable=SC2086
  if env "$mark" "$DENO" test --quiet --config "$CONFIG" --no-lock -A --filter "/^($names)\$/" $files \
    >"$log.again" 2>&1 9>&- && [ "$(summary_of "$log.again" | sed 's/[^|]*| \([0-9]*\) .*/\1/')" -ge "$failed" ]; then
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
