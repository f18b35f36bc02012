#!/bin/sh
# Runs all tests, or those of some tiers or files: ./tests/run.sh [TIER|FILE|OPTION]...
#
#   unit        deterministic, 95 s of CPU time for the whole product, on all CPUs; never tried twice
#   statistics  simulations with fixed seeds and one fresh seed, which is printed
#   e2e         the executable, compilers, launchers and a live machine; a failure is tried again, at most
#               twice. Its halves: timed, and patient. rooted: of patient, what differs for root
#   laws        each system call fails once, signals at random moments, damaged input, vectors, other systems, and
#               a model of the rings in every order of steps
#
# TIER:K/N is one of N parts of a tier. Other arguments go to `deno test`. Needs Deno or Node.js only. The last line
# says "N passed, N failed"; the status is that of the tests. After JOULEMARK_TEST_LIMIT_S seconds (default 5400)
# all that it started is killed, and the test that hung is named.
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
# Texts have characters beyond ASCII, unless the locale has none; tests of that choose their own.
export LANG="${LANG:-C.UTF-8}"

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
mkdir "$made.groups" || die "cannot make a directory"
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

# Tiers. Tests of a live machine are named *_live_test.ts, wherever they are; long vectors *_vectors_test.ts.
STATISTICS="tests/energy/attribution tests/energy/edges tests/statistics tests/show/analysis/difference_test.ts
  tests/e2e/known_joules_test.ts"
E2E="tests/e2e tests/job/guardian tests/marks/marker tests/marks/preload tests/marks/client tests/airgap"
LAWS="tests/laws tests/fuzz tests/beside tests/show/page/browser_test.ts tests/marks/rings/ring_model_test.ts"
# End-to-end tests that time nothing. Each run sees others of its user, so they get a /dev/shm of their own.
PATIENT="attribution bench caliper_data clean_root clients collate compare context cut_input descriptors environment
  equal_digits exact_profiles explain folded foreign_config full_disk function_regions functions functions_timer
  gpu_library hostile_names ipmi letter_small markup messages metrics mpi mpi_all mpi_launch node_trees one_answer
  openmp other_cpus page perfetto phase plain_user pmc preload preload_alloc preload_caliper preload_callpath
  preload_io preload_tau preload_tracks probe profiles python recover report_names report_reader same_counts sampler
  settings show_trace simulated site_kit slurm spans_only stats strange study tidy_data true_paths tutorials
  unchanged"
SHARED='mount -t tmpfs -o mode=1777 tmpfs /dev/shm && exec "$@"'

# test_files FOLDER|FILE...
test_files() {
  find "$@" -name '*_test.ts' | sort
}
# Lines of standard input that are not lines of a text.
without() {
  grep -vxF -e "$1"
}
# files_of TIER
files_of() {
  # word splitting is meant: folders
  # shellcheck disable=SC2086
  case $1 in
  statistics) test_files $STATISTICS ;;
  e2e)
    { test_files $E2E; test_files tests | grep '_live_test\.ts$'; } | sort -u | without "$(files_of statistics)"
    ;;
  patient) for name in $PATIENT; do echo "tests/e2e/${name}_test.ts"; done ;;
  # What root sees otherwise, or alone.
  rooted) files_of patient | xargs grep -lE 'asEachUser|onPrivateNode|uid\(|NOT_ROOT|needs root|_slurm|CLEAN_ROOT' ;;
  timed) files_of e2e | without "$(files_of patient)" ;;
  laws) { test_files $LAWS; test_files tests | grep '_vectors_test\.ts$'; } | sort -u ;;
  unit) test_files tests | without "$(for tier in statistics e2e laws; do files_of $tier; done)" ;;
  *:*/*) files_of "${1%:*}" | awk -v part="${1##*:}" '{ split(part, of, "/") } NR % of[2] == of[1] % of[2]' ;;
  esac
}

# Arguments: tiers, files, and what is left to Deno.
tiers= given=
for argument in "$@"; do
  shift
  case ${argument%:[1-9]*/[1-9]*} in
  unit | statistics | e2e | timed | patient | rooted | laws) tiers="$tiers $argument" ;;
  *)
    [ ! -e "$argument" ] || given=yes
    set -- "$@" "$argument"
    ;;
  esac
done
[ -n "$tiers$given" ] || tiers="unit statistics e2e laws"

# A file costs Deno a third of a second, so files of a folder in tests/ are one module, but for those that say why
# not in a line "// Alone: ".
# grouped TIER
grouped() {
  files_of "$1" >"$log.files"
  xargs grep -l '^// Alone: ' <"$log.files" | tee "$log.alone"
  grep -vxFf "$log.alone" "$log.files" | awk -v root="$ROOT" -v to="$log.groups" '
    { name = $0; sub(/^tests\//, "", name); sub(/(_test\.ts$|\/.*)/, "", name); if (!/\/.*\//) name = "others" }
    !seen[name]++ { print to "/" name "_test.ts" }
    { print "import \"" root "/" $0 "\";" >(to "/" name "_test.ts") }'
}

# Three lanes: tests with an eye on the clock have the CPUs first, the others run beside them.
first= patient= beside= apart=
unshare -m sh -c "$SHARED" sh true 2>/dev/null && apart="unshare -m sh -c"
for tier in $tiers; do
  case $tier-${apart:+apart} in
  e2e-apart) first="$first $(files_of timed)" patient="$patient $(files_of patient)" ;;
  unit-*) beside="$beside $(grouped $tier)" ;;
  statistics-* | laws-apart) beside="$beside $(files_of $tier)" ;;
  *) first="$first $(files_of $tier)" ;;
  esac
done
# Unit tests alone have all CPUs: each module is a process, as many at once as DENO_JOBS says, which .ci/run sets.
unit=
if [ "$tiers$given" = " unit" ]; then
  unit=$beside beside=
fi

# lane NAME WORD...: tests in the background, by a command's words. Their output is kept.
lanes=
lane() {
  name=$1
  shift
  env "$mark" "$@" >"$log.lane.$name" 2>&1 9>&- &
  lanes="$lanes $name:$!"
}
# word splitting is meant below: files
# shellcheck disable=SC2086
[ -z "$beside" ] ||
  lane beside nice -n 10 ${apart:+$apart "$SHARED" sh} "$DENO" test --config "$CONFIG" --no-lock -A "$@" $beside
# shellcheck disable=SC2086
[ -z "$patient" ] ||
  lane patient nice -n 10 $apart "$SHARED" sh "$DENO" test --config "$CONFIG" --no-lock -A "$@" $patient
if [ -n "$unit" ]; then
  # A module of many files takes long, so it begins early.
  # shellcheck disable=SC2012,SC2086
  ls -S $unit >"$log.unit"
  # The output of a module is kept by its name.
  # shellcheck disable=SC2016,SC2086
  lane unit ${apart:+$apart "$SHARED" sh} xargs -a "$log.unit" -P "${DENO_JOBS:-$(nproc)}" -I{} \
    sh -c 'to=$0.${1##*/}; shift; exec "$@" >"$to" 2>&1' "$log.lane.unit" {} \
    "$DENO" test --config "$CONFIG" --no-lock -A "$@" {}
fi
status=0
parts=0
if [ -n "$first$given" ]; then
  parts=1
  {
    # word splitting is meant
    # shellcheck disable=SC2086
    env "$mark" "$DENO" test --config "$CONFIG" --no-lock -A "$@" $first 2>&1 9>&-
    echo $? >"$log.status"
  } 9>&- | tee "$log" 9>&-
  status=$(cat "$log.status")
fi
# Deno's summary: ok | 12 passed (3 steps) | 0 failed | 1 ignored (1s)
summary_of() {
  sed 's/\x1b\[[0-9;]*m//g' "$1" | grep -E '^(ok|FAILED) \| [0-9]+ passed' | tail -n 1
}
summary=$(summary_of "$log")
for lane in $lanes; do
  wait "${lane#*:}" || status=1
  for output in "$log.lane.${lane%:*}"*; do
    [ -s "$output" ] || continue
    summary=$(printf '%s\n%s\n' "$summary" "$(summary_of "$output")")
    parts=$((parts + 1))
    cat "$output"
  done
done

plain=$(cat "$log" "$log".lane.* 2>/dev/null | sed 's/\x1b\[[0-9;]*m//g')
# FILE<tab>NAME of each that failed; steps are indented
failures=$(printf '%s\n' "$plain" | awk '
  /^running [0-9]+ tests? from / { sub(/^.* from (\.\/)?/, ""); file = $0; next }
  / \.\.\. FAILED \(/ && !/^ / { sub(/ \.\.\. FAILED .*/, ""); failed[++count] = $0; in_file[count] = file }
  / => \.\/tests\// {
    at = $0; sub(/^.* => \.\//, "", at); sub(/:.*/, "", at)
    sub(/( \.\.\.| =>) .*/, ""); where[$0] = at
  }
  END {
    for (i = 1; i <= count; i++) {
      isGroup = in_file[i] ~ /\.groups\// && failed[i] in where
      print (isGroup ? where[failed[i]] : in_file[i]) "\t" failed[i]
    }
  }')
# Seconds, file and name of the ten slowest.
slowest() {
  printf '%s\n' "$plain" | awk '
    /^running [0-9]+ tests? from / { sub(/^.* from (\.\/)?/, ""); sub(/^.*\.groups\//, "tests/"); file = $0; next }
    / \.\.\. (ok|FAILED) \(/ && !/^ / {
      time = $0; sub(/^.*\(/, "", time); sub(/ \.\.\. (ok|FAILED) \(.*/, "")
      if (time ~ /^([0-9]+m)?[0-9]+s\)$/) {
        seconds = 0
        if (match(time, /^[0-9]+m/)) { seconds = 60 * substr(time, 1, RLENGTH - 1); sub(/^[0-9]+m/, "", time) }
        printf "%4d s  %s: %s\n", seconds + time, file, $0
      }
    }' | sort -rn | head -n 10
}

count() {
  printf '%s\n' "$summary" | sed -n "s/.*| \([0-9][0-9]*\) $1.*/\1/p" | awk '{ n += $1 } END { if (NR) print n }'
}
passed=$(count passed)
failed=$(count failed)
skipped=$(count ignored)
if [ -e "$log.late" ]; then
  # the first lane without a summary
  for hung in "$log" "$log".lane.*; do
    [ ! -s "$hung" ] || [ -n "$(summary_of "$hung")" ] || break
  done
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
summaries=$(printf '%s\n' "$summary" | grep -c .)
if [ "$summaries" -lt "$parts" ] || { [ "$status" != 0 ] && [ "${failed:-0}" = 0 ]; }; then
  # a file that does not load fails without being counted
  failed=$((${failed:-0} + 1))
fi
# End-to-end tests run programs beside each other, on machines that others use: at most eight failures are tried
# again, each alone, at most twice, and are named. Others are deterministic and are not.
files_of e2e >"$log.e2e"
again=$(printf '%s\n' "$failures" | grep -Ff "$log.e2e")
lines=$(printf '%s\n' "$again" | grep -c .)
tab=$(printf '\t')
# passes_alone FILE NAME
passes_alone() {
  pattern=$(printf '%s\n' "$2" | sed 's/[][\.*^$+?(){}|/]/\\&/g')
  env "$mark" "$DENO" test --quiet --config "$CONFIG" --no-lock -A --filter "/^$pattern\$/" "$1" \
    >"$log.again" 2>&1 7>&- 8>&- 9>&- </dev/null && summary_of "$log.again" | grep -q '| [1-9][0-9]* passed'
}
if [ ! -e "$log.late" ] && [ "$lines" -gt 0 ] && [ "$lines" -le 8 ]; then
  # Suites beside this one hold the file, and begin no other while the second one is held.
  if [ -n "${JOULEMARK_TEST_BESIDE:-}" ]; then
    exec 7<"$JOULEMARK_TEST_BESIDE" 8<"$JOULEMARK_TEST_BESIDE.turn"
    flock -w 600 8 && flock -w 600 7
  fi
  say "once more, alone:"
  printf '%s\n' "$again" >&2
  printf '%s\n' "$again" >"$log.lines"
  : >"$log.passed"
  while IFS=$tab read -r file name; do
    for try in second third; do
      if passes_alone "$file" "$name"; then
        printf '%s\t%s\t(%s try)\n' "$file" "$name" "$try" >>"$log.passed"
        break
      fi
      cat "$log.again"
    done
  done <"$log.lines"
  lines=$(grep -c . "$log.passed")
  if [ "$lines" -gt 0 ]; then
    say "passed when tried again:"
    cat "$log.passed" >&2
    failures=$(printf '%s\n' "$failures" | without "$(cut -f 1,2 "$log.passed")")
    passed=$((passed + lines))
    failed=$((failed - lines))
    [ "$failed" != 0 ] || status=0
  fi
fi
if [ -n "$tiers" ]; then
  say "the slowest tests:"
  slowest >&2
fi
# NAME<tab>the beginning of its error
printf '%s\n' "$plain" | awk '
  function end() { if (error != "") print name "\t" substr(error, 1, 300); error = "" }
  / => \.\// { end(); name = $0; sub(/ => \.\/.*/, "", name); next }
  /^error: Test failed/ { next }
  /^error: / { error = substr($0, 8); next }
  /^  throw new |^    at / { end(); next }
  error != "" && NF > 0 { error = error " " $0 }
  END { end() }' >"$log.errors"
printf '%s\n' "$failures" | awk -F "$tab" '
  FILENAME != "-" { error[$1] = $2; next }
  NF == 2 { print "run.sh: failed: " $1 ": " $2 (error[$2] == "" ? "" : ": " error[$2]) }' "$log.errors" - >&2
printf '%s passed, %s failed%s\n' "${passed:-0}" "$failed" "${skipped:+, $skipped skipped}"
exit "$status"
