# joulemark.sh: mark the regions of a shell script for joulemark. Source it:
#
#   . ./joulemark.sh
#   joulemark_begin "compile it"; ...; joulemark_end "compile it"
#
#   joulemark_span_begin "upload"; span=$joulemark_span; upload & ...; joulemark_span_end $span
#
# and run the script under `joulemark run -- sh script.sh`. Without a monitor every call does
# nothing. A call starts no process, keeps no descriptor, prints nothing, and its status is 0. In
# bash 5 and zsh marks carry the time of the call; other shells have no clock, so there a mark
# happens when the monitor reads it, a few ms later. Names are one line. Needs a POSIX shell.
#
# How the lines are read: docs/reference/formats/ring.md.
#
# Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause

# Only a directory of our own, and no link in its place.
if [ -n "${JOULEMARK_SESSION-}" ] && [ -O "$JOULEMARK_SESSION" ] && [ -d "$JOULEMARK_SESSION" ] &&
  [ ! -L "$JOULEMARK_SESSION" ]; then
  [ -z "${ZSH_VERSION-}" ] || zmodload zsh/datetime 2>/dev/null || :
  joulemark__line() {
    { printf '%s\n' "$1" >>"$JOULEMARK_SESSION/${BASHPID:-$$}.sh"; } 2>/dev/null || :
  }
  joulemark_begin() { joulemark__line "b ${EPOCHREALTIME:--} $*"; }
  joulemark_end() { joulemark__line "e ${EPOCHREALTIME:--} $*"; }
  joulemark_epoch() { joulemark__line "p ${EPOCHREALTIME:--}"; }
  joulemark_span_begin() {
    joulemark_span=$((${joulemark_span:-0} + 1))
    joulemark__line "s ${EPOCHREALTIME:--} $joulemark_span $*"
  }
  joulemark_span_end() { joulemark__line "f ${EPOCHREALTIME:--} $1"; }
else
  joulemark_begin() { :; }
  joulemark_end() { :; }
  joulemark_epoch() { :; }
  joulemark_span_begin() { :; }
  joulemark_span_end() { :; }
fi
