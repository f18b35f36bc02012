#!/bin/sh
# Makes a release: packaging/release.sh VERSION [DATE]
#
# Writes VERSION into the sources and packages, dates its section of CHANGELOG.md, commits, and tags vVERSION with the
# section as its text. Nothing is pushed. DATE is today by default.
set -eu
ROOT=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$ROOT"

die() {
  printf 'packaging/release.sh: %s\n' "$1" >&2
  exit 2
}

[ $# -ge 1 ] && [ $# -le 2 ] || die "usage: packaging/release.sh VERSION [DATE]"
VERSION=$1
DATE=${2:-$(date -u +%Y-%m-%d)}
printf '%s\n' "$VERSION" | grep -Eqx '[0-9]+\.[0-9]+\.[0-9]+' || die "invalid version \"$VERSION\". Use three numbers, such as 0.2.0."
printf '%s\n' "$DATE" | grep -Eqx '[0-9]{4}-[0-9]{2}-[0-9]{2}' || die "invalid date \"$DATE\". Use YYYY-MM-DD."
[ -z "$(git status --porcelain)" ] || die "the working tree has changes. Commit or remove them first."
! git rev-parse -q --verify "refs/tags/v$VERSION" >/dev/null || die "the tag v$VERSION exists. Choose another version."
grep -Fqx "## $VERSION (unreleased)" CHANGELOG.md ||
  die "CHANGELOG.md has no section \"## $VERSION (unreleased)\". Write what a user gets."

OLD=$(sed -n 's/^export const VERSION = "\(.*\)";$/\1/p' src/core/version.ts)
sed -i "s/^export const VERSION = .*/export const VERSION = \"$VERSION\";/
  s/^export const VERSION_DATE = .*/export const VERSION_DATE = \"$DATE\";/" src/core/version.ts
sed -i "s/\"version\": \"$OLD\"/\"version\": \"$VERSION\"/" deno.json
sed -i "s/version(\"$OLD\")/version(\"$VERSION\")/" packaging/spack/package.py
sed -i "s/joulemark-$OLD\.eb/joulemark-$VERSION.eb/g; s/^version = .*/version = '$VERSION'/" packaging/easybuild/*.eb
sed -i "s/joulemark-$OLD\.eb/joulemark-$VERSION.eb/g" docs/how-to/for-centres.md
[ "$OLD" = "$VERSION" ] ||
  git mv "packaging/easybuild/joulemark-$OLD.eb" "packaging/easybuild/joulemark-$VERSION.eb"
sed -i "s/^## $VERSION (unreleased)$/## $VERSION ($DATE)/" CHANGELOG.md
notes=$(awk -v head="## $VERSION ($DATE)" '$0 == head { on = 1; next } /^## / { on = 0 } on' CHANGELOG.md)
git commit -qam "Release $VERSION"
printf 'joulemark %s\n%s\n' "$VERSION" "$notes" | git tag -a "v$VERSION" --cleanup=verbatim -F -
echo "v$VERSION"
