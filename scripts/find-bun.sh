#!/bin/sh
# Prints the Bun to use: one on PATH when it is the pinned version, else the project's own copy (present or not).
pinned=$1
found=$(command -v bun 2>/dev/null)
if [ -n "$found" ] && [ "$("$found" --version 2>/dev/null)" = "$pinned" ]; then
  echo "$found"
else
  echo "$PWD/.tools/bun-$pinned/bun"
fi
