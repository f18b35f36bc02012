#!/bin/sh
# Runs the pinned Deno with the import map that works here: sh airgap/deno.sh SUBCOMMAND [ARG...]
ROOT=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$ROOT/airgap/find_deno.sh"
find_deno
choose_map
subcommand=$1
shift
exec "$DENO" "$subcommand" --config "$CONFIG" "$@"
