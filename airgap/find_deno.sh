# Shell functions that compile.sh, tests/run.sh, .ci/run and airgap/deno.sh share: where Deno is,
# and which import map to build with. To be sourced, with ROOT set to the project's top.
#
#   find_deno      sets DENO: the pinned Deno, brought here first where there is none
#   choose_map     sets CONFIG: deno.json (JSR), or airgap/deno.json where JSR does not answer
#
# Every attempt that needs the network has a time limit, so that a machine without one never hangs.
# JOULEMARK_MAP=jsr|airgap decides without asking. POSIX sh; talks on stderr only.

DENO_VERSION=2.9.6
BROUGHT="$ROOT/.deno"
# One commit of Deno's installer, and the SHA-256 of the script there.
INSTALLER=https://raw.githubusercontent.com/denoland/deno_install/68b4bb22d46c3d1aa6b20bb42113d3a6ebc763ee/install.sh
INSTALLER_SHA256=83f19ea13f6d7884f4dc0e2f92e7e08e7589204138d9b6edfcd53c3f07b3273b

say() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
}

die() {
  say "$@"
  exit 1
}

# limited SECONDS COMMAND...: the command, ended after so many seconds
limited() {
  seconds=$1
  shift
  if command -v timeout >/dev/null 2>&1; then
    timeout -k 1 "$seconds" "$@"
  else
    "$@"
  fi
}

is_pinned() {
  [ -x "$1" ] && [ "$("$1" --version 2>/dev/null | sed -n '1s/^deno \([^ ]*\).*/\1/p')" = "$DENO_VERSION" ]
}

find_deno() {
  DENO=$(command -v deno 2>/dev/null) || DENO=
  if [ -n "$DENO" ]; then
    if is_pinned "$DENO"; then
      use_writable_cache
      return 0
    fi
    say "$DENO is not version $DENO_VERSION; looking for that one"
  fi
  for DENO in "$BROUGHT/node_modules/deno/deno" "$BROUGHT/bin/deno"; do
    if is_pinned "$DENO"; then
      use_writable_cache
      return 0
    fi
  done
  bring_deno
  use_writable_cache
}

bring_deno() {
  mkdir -p "$BROUGHT" 2>/dev/null && [ -w "$BROUGHT" ] ||
    die "cannot bring Deno: expected to write to \"$BROUGHT\"; make it writable, or put Deno $DENO_VERSION on PATH"
  if npm_answers; then
    say "bringing Deno $DENO_VERSION from npm into .deno/"
    # no install script: the binary is taken from the package of this platform
    limited 240 npm install --prefix "$BROUGHT" --no-save --no-audit --no-fund --ignore-scripts \
      --fetch-retries 1 --fetch-timeout 60000 --loglevel error --no-update-notifier "deno@$DENO_VERSION" >&2 || true
    for found in "$BROUGHT"/node_modules/@deno/*/deno; do
      if is_pinned "$found"; then
        # relative: the checkout may move
        ln -sf "../@deno/$(basename "$(dirname "$found")")/deno" "$BROUGHT/node_modules/deno/deno"
        DENO="$found"
        return 0
      fi
    done
    say "npm did not bring it"
  else
    say "npm is not here or does not answer"
  fi
  say "bringing Deno $DENO_VERSION by Deno's installer into .deno/"
  if fetch_to "$BROUGHT/install.sh" "$INSTALLER" && has_sum "$BROUGHT/install.sh" "$INSTALLER_SHA256"; then
    DENO_INSTALL="$BROUGHT" limited 240 sh "$BROUGHT/install.sh" "v$DENO_VERSION" --no-modify-path \
      </dev/null >&2 || true
  fi
  DENO="$BROUGHT/bin/deno"
  is_pinned "$DENO" ||
    die "cannot bring Deno: expected npm or Deno's installer to answer, found neither; put Deno $DENO_VERSION on PATH"
}

# A small question with a short limit, before a large download with a long one.
npm_answers() {
  command -v npm >/dev/null 2>&1 || return 1
  answer=$(limited 12 npm view --fetch-retries 0 "deno@$DENO_VERSION" version 2>/dev/null) || return 1
  [ -n "$answer" ]
}

# has_sum FILE SHA256: is it that file? Where no program can tell, it is not.
has_sum() {
  if command -v sha256sum >/dev/null 2>&1; then
    sum=$(sha256sum <"$1" | cut -d ' ' -f 1)
  elif command -v openssl >/dev/null 2>&1; then
    sum=$(openssl dgst -sha256 -r <"$1" | cut -d ' ' -f 1)
  else
    sum="no program to tell"
  fi
  [ "$sum" != "$2" ] || return 0
  say "$1 is not the file expected: SHA-256 $2, found $sum; it is not used"
  return 1
}

fetch_to() {
  if command -v curl >/dev/null 2>&1; then
    curl -fsSL --connect-timeout 5 --max-time 15 -o "$1" "$2"
  elif command -v wget >/dev/null 2>&1; then
    wget -q -T 5 -t 1 -O "$1" "$2"
  else
    return 1
  fi
}

# Deno keeps modules in a cache below HOME. Where that cannot be written, one in the project serves.
use_writable_cache() {
  cache=${DENO_DIR:-${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/deno}
  if mkdir -p "$cache" 2>/dev/null && [ -w "$cache" ]; then
    return 0
  fi
  mkdir -p "$BROUGHT/cache" 2>/dev/null && [ -w "$BROUGHT/cache" ] ||
    die "cannot keep modules: expected to write to \"$cache\" or \"$BROUGHT\", found neither writable; set DENO_DIR to a directory that is"
  say "\"$cache\" cannot be written; modules are kept in .deno/cache"
  DENO_DIR="$BROUGHT/cache"
  export DENO_DIR
}

choose_map() {
  case ${JOULEMARK_MAP:-} in
    jsr) CONFIG="$ROOT/deno.json" ;;
    airgap) CONFIG="$ROOT/airgap/deno.json" ;;
    '') if jsr_answers; then CONFIG="$ROOT/deno.json"; else CONFIG="$ROOT/airgap/deno.json"; fi ;;
    *) die "JOULEMARK_MAP: expected jsr or airgap, found \"$JOULEMARK_MAP\"" ;;
  esac
  if [ "$CONFIG" = "$ROOT/deno.json" ]; then
    say "standard library: from JSR"
    return 0
  fi
  say "standard library: airgap/ (JSR does not answer, or was not asked)"
  limited 20 "$DENO" cache -q --config "$CONFIG" "$ROOT/airgap/std/yaml.ts" >/dev/null 2>&1 ||
    die "cannot load npm's package yaml: expected npm or Deno's cache to have it, found neither; connect once, or set DENO_DIR to a cache that has it"
}

# JSR answers when all that deno.json maps to it can be loaded. JSR_URL is honoured, as Deno does.
jsr_answers() {
  packages=$(sed -n 's/.*"\(jsr:@[^"]*\)".*/\1/p' "$ROOT/deno.json")
  first=$(printf '%s\n' "$packages" | sed -n '/assert/s/$/\/assertion-error/p')
  # one small module with a short limit first: where packets are dropped, nobody waits longer
  limited 5 "$DENO" cache -q --no-config --no-lock "$first" >/dev/null 2>&1 || return 1
  # word splitting is meant: one specifier a word
  # shellcheck disable=SC2086
  limited 120 "$DENO" cache -q --no-config --no-lock $packages >/dev/null 2>&1
}
