#!/usr/bin/env bash
# Lists the commits since a tag, oldest first, without merges. Reads the repository only.
set -euo pipefail

usage() {
  cat <<'TEXT'
Usage: changes-since.sh [--help] [TAG]

Prints "HASH DATE SUBJECT" for each commit after TAG, up to HEAD, oldest first, without merges.
Without TAG, the newest tag that HEAD descends from is used; without any tag, all commits are listed.

Exit codes: 0 listed, 2 no repository, no commit or no such tag.
TEXT
}

fail() {
  printf 'changes-since.sh: %s\n' "$1" >&2
  exit 2
}

case "${1-}" in
  -h | --help)
    usage
    exit 0
    ;;
  -*) fail "unknown option \"$1\"; see --help" ;;
esac
[ "$#" -le 1 ] || fail "expected at most one tag, got $#; see --help"
command -v git >/dev/null || fail 'git is not installed'
git rev-parse --git-dir >/dev/null 2>&1 || fail 'this is not a Git repository; run it in the project that is released'
git rev-parse --verify --quiet HEAD >/dev/null || fail 'the repository has no commit yet'

if [ "$#" -eq 1 ]; then
  tag=$1
  git rev-parse --verify --quiet "refs/tags/$tag^{commit}" >/dev/null ||
    fail "there is no tag \"$tag\"; \"git tag --sort=-creatordate\" lists them, newest first"
else
  tag=$(git describe --tags --abbrev=0 2>/dev/null || true)
fi

if [ -n "$tag" ]; then
  range="refs/tags/$tag..HEAD"
  printf '# since %s\n' "$tag"
else
  range=HEAD
  printf '# no tag found: all commits\n'
fi
git log --no-merges --reverse --date=short --format='%h %ad %s' "$range" --
