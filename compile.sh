#!/bin/sh
# Makes ./joulemark, one executable file. Needs Deno or Node.js, no compiler; works without network
# where Deno's cache has what it needs.
#
#   ./compile.sh [--target x86_64|aarch64] [--output FILE] [--sbom FILE]
#
# The same sources give the same bytes; the last line has their SHA-256. --sbom also writes what the file
# is made of, as CycloneDX 1.5.
#
# In both forms the guardian (docs/explanation/guardian.md) comes first, then Deno.
#
# With `deno compile` where Deno's base runtime (denort) can be had: from DENORT_BIN, from Deno's
# cache, or from the network. Otherwise airgap/pack/ makes one file of Deno itself and the bundled
# program, with the same permissions; `joulemark --version` tells which of the two it is.
ROOT=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$ROOT/airgap/find_deno.sh"

HERE=$(uname -m)
[ "$HERE" != arm64 ] || HERE=aarch64
TARGET=$HERE
OUTPUT=$ROOT/joulemark
SBOM=
V8_FLAGS=--v8-flags=--max-semi-space-size=3,--min-semi-space-size=3,--no-parallel-scavenge,--no-sparkplug

usage() {
  say "$1; usage: ./compile.sh [--target x86_64|aarch64] [--output FILE] [--sbom FILE]"
  exit 2
}

while [ $# -gt 0 ]; do
  case $1 in
    --target=*) TARGET=${1#*=} ;;
    --output=*) OUTPUT=${1#*=} ;;
    --sbom=*) SBOM=${1#*=} ;;
    --target | --output | --sbom)
      [ $# -ge 2 ] || usage "$1 needs a value"
      case $1 in --target) TARGET=$2 ;; --output) OUTPUT=$2 ;; *) SBOM=$2 ;; esac
      shift
      ;;
    *) usage "unknown argument \"$1\"" ;;
  esac
  shift
done
case $TARGET in
  x86_64 | aarch64) ;;
  *) usage "unknown target \"$TARGET\"" ;;
esac
TRIPLE=$TARGET-unknown-linux-gnu
case $OUTPUT in /*) ;; *) OUTPUT=$PWD/$OUTPUT ;; esac
[ ! -e "$OUTPUT" ] || [ -f "$OUTPUT" ] ||
  die "cannot write \"$OUTPUT\": expected a file or a new name, found something else"
[ -w "$(dirname -- "$OUTPUT")" ] ||
  die "cannot write \"$OUTPUT\": expected a directory that can be written; give another with --output FILE"

find_deno
choose_map

# Packages of npm have to be the ones of the lock file; the map of JSR has none.
case $CONFIG in */airgap/deno.json) LOCK=--frozen ;; *) LOCK=--no-lock ;; esac

FLAGS=$("$DENO" run --quiet --config "$CONFIG" $LOCK -A "$ROOT/airgap/permission_flags.ts") ||
  die "cannot read the permissions: src/cli/permissions.ts does not run"

NEW=$OUTPUT.new.$$
trap 'rm -f "$NEW" "$NEW.base"' EXIT

# Is Deno's base runtime at hand, or does the place it comes from answer? Asked of Deno itself.
can_compile() {
  [ -z "${DENORT_BIN:-}" ] || return 0
  cache=$("$DENO" info --json --no-config 2>/dev/null | sed -n 's/.*"denoDir": *"\([^"]*\)".*/\1/p')
  [ -z "$cache" ] || ! ls "$cache"/dl/release/v"$DENO_VERSION"/denort-"$TRIPLE".zip >/dev/null 2>&1 ||
    return 0
  limited 5 "$DENO" upgrade --dry-run >/dev/null 2>&1
}

# Deno's base runtime, or the archive that it comes in; fetched by Deno itself where it is not here.
find_base() {
  base=${DENORT_BIN:-}
  [ -z "$base" ] || return 0
  cache=$("$DENO" info --json --no-config 2>/dev/null | sed -n 's/.*"denoDir": *"\([^"]*\)".*/\1/p')
  base=$cache/dl/release/v$DENO_VERSION/denort-$TRIPLE.zip
  [ -f "$base" ] || run_compile "" || return 1
  [ -f "$base" ]
}

# run_compile BASE: deno compile over that base runtime
run_compile() {
  # word splitting is meant: one flag a line, and no flag has blanks
  # shellcheck disable=SC2086
  limited 240 env ${1:+DENORT_BIN="$1"} "$DENO" compile --quiet --config "$CONFIG" $LOCK \
    $FLAGS "$V8_FLAGS" --target "$TRIPLE" --output "$NEW" "$ROOT/main.ts" >&2
}

# The guardian goes in front of the base runtime first: what deno compile appends has to stay last.
compile() {
  say "compiling with deno compile for $TARGET"
  find_base || return 1
  "$DENO" run --quiet --no-config --no-lock -A "$ROOT/airgap/pack/pack.ts" \
    --out "$NEW.base" --prepare "$base" >&2 || return 1
  run_compile "$NEW.base" || return 1
  # The full Deno in DENORT_BIN makes a file that is only Deno again.
  if [ "$TARGET" = "$HERE" ]; then
    case $(limited 20 "$NEW" --version 2>/dev/null) in
      joulemark*) ;;
      *)
        say "the file made is not joulemark: is DENORT_BIN Deno's base runtime (denort)?"
        return 1
        ;;
    esac
  fi
}

# Deno itself for the target: the one that runs here, or for another processor npm's.
find_deno_to_pack() {
  packed=$DENO
  [ "$TARGET" != "$HERE" ] || return 0
  case $TARGET in aarch64) name=linux-arm64-glibc ;; *) name=linux-x64-glibc ;; esac
  packed=$BROUGHT/$TARGET/node_modules/@deno/$name/deno
  [ ! -x "$packed" ] || return 0
  say "bringing Deno $DENO_VERSION for $TARGET from npm into .deno/"
  limited 240 npm install --prefix "$BROUGHT/$TARGET" --force --no-save --no-audit --no-fund \
    --ignore-scripts --fetch-retries 1 --loglevel error --no-update-notifier \
    "@deno/$name@$DENO_VERSION" >&2 || true
  [ -x "$packed" ] ||
    die "cannot make an executable for $TARGET here: expected Deno's base runtime for it in DENORT_BIN, or npm to bring Deno for it, found neither"
}

pack() {
  find_deno_to_pack
  say "deno compile has no base runtime here; packing Deno and the program into one file"
  # shellcheck disable=SC2086
  "$DENO" run --quiet --no-config --no-lock -A "$ROOT/airgap/pack/pack.ts" \
    --out "$NEW" --map "$CONFIG" --deno "$packed" -- $FLAGS ||
    die "cannot pack; see above"
}

if can_compile; then
  compile || pack
else
  pack
fi
mv -f "$NEW" "$OUTPUT" || die "cannot write \"$OUTPUT\""
if [ -n "$SBOM" ]; then
  "$DENO" run --quiet --no-config --no-lock -A "$ROOT/airgap/sbom.ts" \
    --executable "$OUTPUT" --map "$CONFIG" --deno "$DENO_VERSION" --out "$SBOM" >&2 ||
    die "cannot write \"$SBOM\"; see above"
fi
say "made $OUTPUT ($(($(wc -c <"$OUTPUT") / 1000000)) MB)"
if command -v sha256sum >/dev/null 2>&1; then say "sha256 $(sha256sum <"$OUTPUT" | cut -d ' ' -f 1)"; fi
