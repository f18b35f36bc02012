#!/bin/sh
# Makes a Debian and an RPM package of the executable; needs no root, and dpkg-deb and rpmbuild alone.
#
#   packaging/build.sh [--executable FILE] [--output DIR] [deb] [rpm]
#
# Both have the same tree: the executable, its manual page, completions of three shells, module files,
# /etc/joulemark.conf (all of it comments), the unit of the raw stats monitor (not enabled), examples.
# The same executable gives the same Debian package, byte for byte.
set -eu
ROOT=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
EXECUTABLE=$ROOT/joulemark
OUTPUT=$PWD
KINDS=

die() {
  printf 'packaging/build.sh: %s\n' "$1" >&2
  exit 2
}

while [ $# -gt 0 ]; do
  case $1 in
    --executable | --output)
      [ $# -ge 2 ] || die "$1 needs a value"
      case $1 in --executable) EXECUTABLE=$2 ;; *) OUTPUT=$2 ;; esac
      shift
      ;;
    deb | rpm) KINDS="$KINDS $1" ;;
    *) die "unknown argument \"$1\"; usage: packaging/build.sh [--executable FILE] [--output DIR] [deb] [rpm]" ;;
  esac
  shift
done
[ -n "$KINDS" ] || KINDS="deb rpm"
[ -x "$EXECUTABLE" ] || die "cannot package \"$EXECUTABLE\": expected the executable; ./compile.sh makes it"
[ -w "$OUTPUT" ] || die "cannot write to \"$OUTPUT\": expected a directory that can be written"
OUTPUT=$(CDPATH='' cd -- "$OUTPUT" && pwd)

VERSION=$("$EXECUTABLE" --version | sed -n 's/^joulemark \([^ ]*\) .*/\1/p')
[ -n "$VERSION" ] || die "\"$EXECUTABLE\" is not joulemark: it tells no version"
# Of the processor that it is for: e_machine of its ELF header.
case $(od -An -tu2 -j18 -N2 "$EXECUTABLE" | tr -d ' ') in
  62) DEB_ARCH=amd64 RPM_ARCH=x86_64 ;;
  183) DEB_ARCH=arm64 RPM_ARCH=aarch64 ;;
  *) die "\"$EXECUTABLE\" is for no processor that packages are known for" ;;
esac
SUMMARY="where the time and the joules of a job went, region by region"
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-1700000000}
export SOURCE_DATE_EPOCH

WORK=$(mktemp -d "${TMPDIR:-/tmp}/joulemark-package.XXXXXX")
trap 'rm -rf "$WORK"' EXIT
umask 022

# put SOURCE PATH [MODE]
put() {
  mkdir -p "$(dirname -- "$TREE$2")"
  cp "$1" "$TREE$2"
  chmod "${3:-644}" "$TREE$2"
}

# Where zsh and fish of a distribution look: $1 and $2.
make_tree() {
  TREE=$WORK/tree
  rm -rf "$TREE"
  mkdir -p "$TREE"
  put "$EXECUTABLE" /usr/bin/joulemark 755
  "$EXECUTABLE" man >"$WORK/joulemark.1"
  gzip -9nf "$WORK/joulemark.1"
  put "$WORK/joulemark.1.gz" /usr/share/man/man1/joulemark.1.gz
  for shell in bash zsh fish; do "$EXECUTABLE" completions $shell >"$WORK/$shell"; done
  put "$WORK/bash" /usr/share/bash-completion/completions/joulemark
  put "$WORK/zsh" "$1/_joulemark"
  put "$WORK/fish" /usr/share/fish/vendor_completions.d/joulemark.fish
  put "$ROOT/packaging/joulemark.conf" /etc/joulemark.conf
  for file in modulefile.tcl modulefile.lua; do
    sed "s|@VERSION@|$VERSION|g; s|@PREFIX@|/usr|g" "$ROOT/packaging/$file" >"$WORK/$file"
    put "$WORK/$file" "/usr/share/joulemark/$file"
  done
  sed 's|/usr/local/bin/joulemark|/usr/bin/joulemark|; /^# Raw stats/,/^$/d' \
    "$ROOT/docs/examples/joulemark-monitor.service" >"$WORK/unit"
  put "$WORK/unit" /usr/lib/systemd/system/joulemark-monitor.service
  for file in "$ROOT"/docs/examples/*; do
    sed 's|/usr/local/bin/joulemark|/usr/bin/joulemark|' "$file" >"$WORK/example"
    case $file in *.sh) mode=755 ;; *) mode=644 ;; esac
    put "$WORK/example" "/usr/share/doc/joulemark/examples/${file##*/}" $mode
  done
  put "$ROOT/LICENSE" /usr/share/doc/joulemark/copyright
  put "$ROOT/README.md" /usr/share/doc/joulemark/README.md
  put "$ROOT/CHANGELOG.md" /usr/share/doc/joulemark/CHANGELOG.md
  find "$TREE" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
}

make_deb() {
  command -v dpkg-deb >/dev/null || die "no dpkg-deb (Debian: dpkg, elsewhere: dpkg)"
  make_tree /usr/share/zsh/vendor-completions
  size=$(du -sk --apparent-size "$TREE" | cut -f 1)
  mkdir -p "$TREE/DEBIAN"
  cat >"$TREE/DEBIAN/control" <<END
Package: joulemark
Version: $VERSION
Architecture: $DEB_ARCH
Maintainer: joulemark authors <joulemark@localhost>
Installed-Size: $size
Depends: libc6 (>= 2.27), libgcc-s1 | libgcc1
Section: science
Priority: optional
Description: $SUMMARY
 Runs an application, finds its regions, and writes a report with the time and
 the energy of each: GEOPM's report, key by key. One executable, no daemon.
END
  echo /etc/joulemark.conf >"$TREE/DEBIAN/conffiles"
  (cd "$TREE" && find usr -type f -exec md5sum {} + | sort -k 2 >DEBIAN/md5sums)
  chmod 644 "$TREE"/DEBIAN/*
  find "$TREE/DEBIAN" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  file=$OUTPUT/joulemark_${VERSION}_$DEB_ARCH.deb
  dpkg-deb --root-owner-group -Zgzip -z3 --build "$TREE" "$file" >/dev/null
  echo "$file"
}

make_rpm() {
  command -v rpmbuild >/dev/null || die "no rpmbuild (Debian: rpm, elsewhere: rpm-build)"
  make_tree /usr/share/zsh/site-functions
  (cd "$TREE" && find . -type f | sed 's|^\.||' | sort) | while read -r file; do
    case $file in
      /etc/*) echo "%config(noreplace) $file" ;;
      /usr/share/man/* | /usr/share/doc/*) echo "%doc $file" ;;
      *) echo "$file" ;;
    esac
  done >"$WORK/files"
  (cd "$TREE" && find . -type d -name 'joulemark*' -o -type d -path '*/joulemark/*') |
    sed 's|^\.|%dir |' >>"$WORK/files"
  # The executable holds the program behind its sections: nothing may strip or rewrite it.
  cat >"$WORK/joulemark.spec" <<END
%global debug_package %{nil}
%global __os_install_post %{nil}
%global _build_id_links none
%global _binary_payload w3.gzdio
AutoReqProv: no
Name: joulemark
Version: $(echo "$VERSION" | tr - _)
Release: 1
Summary: $(echo "$SUMMARY" | sed 's/^w/W/')
License: BSD-3-Clause
Requires: libc.so.6()(64bit), libgcc_s.so.1()(64bit)
%description
Runs an application, finds its regions, and writes a report with the time and
the energy of each: GEOPM's report, key by key. One executable, no daemon.
%install
cp -a "$TREE/." "%{buildroot}/"
%files -f $WORK/files
%defattr(-,root,root)
END
  rpmbuild --quiet --target "$RPM_ARCH" --define "_topdir $WORK/rpm" --define "_rpmdir $WORK/rpms" \
    --buildroot "$WORK/buildroot" -bb "$WORK/joulemark.spec" >"$WORK/rpm.log" 2>&1 ||
    { cat "$WORK/rpm.log" >&2; die "rpmbuild failed; see above"; }
  for made in "$WORK/rpms/$RPM_ARCH"/*.rpm; do
    cp "$made" "$OUTPUT/"
    echo "$OUTPUT/${made##*/}"
  done
}

for kind in $KINDS; do "make_$kind"; done
