#!/bin/sh
# Installs the pinned Bun below .tools/ from the npm registry. Works where install scripts are blocked:
# the executable is taken from the platform package itself.
set -eu
pinned=$1
dir="$PWD/.tools/bun-$pinned"
mkdir -p "$dir"
printf '{"private":true}\n' >"$dir/package.json"
npm install --prefix "$dir" --no-save --no-package-lock --no-audit --no-fund --ignore-scripts --loglevel=error "bun@$pinned"
for candidate in "$dir"/node_modules/@oven/bun-*/bin/bun; do
  [ -x "$candidate" ] || chmod +x "$candidate"
  if [ "$("$candidate" --version 2>/dev/null)" = "$pinned" ]; then
    ln -sf "$candidate" "$dir/bun"
    exit 0
  fi
done
echo "Cannot install Bun $pinned: no package of the npm registry runs on this machine" >&2
exit 1
