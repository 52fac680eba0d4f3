#!/bin/sh
# Runs every suite and closes with one line that counts the tests.
set -u
bun=$1
log=$(mktemp)
trap 'rm -f "$log"' EXIT
{ "$bun" test 2>&1; echo "exit:$?"; } | tee "$log" | grep -v '^exit:'
code=$(sed -n 's/^exit://p' "$log")
count() { sed -n "s/^ *\([0-9][0-9]*\) $1\$/\1/p" "$log" | tail -n 1; }
passed=$(count pass) failed=$(count fail) skipped=$(count skip)
echo "${passed:-0} passed, ${failed:-0} failed${skipped:+, $skipped skipped}"
exit "${code:-1}"
