#!/bin/sh
# Installs what the suites need beyond Bun, where that is allowed. Elsewhere the suites skip with a reason.
set -u
missing=""
want() { command -v "$1" >/dev/null 2>&1 || [ -x "/usr/sbin/$1" ] || missing="$missing $2"; }
want tmux tmux
want zsh zsh
want dash dash
want fish fish
want ssh openssh-client
want sshd openssh-server
want ps procps
want podman podman
want runc runc
want busybox busybox-static
want docker docker.io
want curl curl
want bwrap bubblewrap
[ -n "$missing" ] || exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
  echo "Not installed:$missing (needs root and apt-get); suites that need them are skipped"
  exit 0
fi
echo "Installing:$missing"
apt-get update -qq >/dev/null
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
