# Stays on the far side as long as buddy is there. Says where it is, ends calls when it is told to, and everything
# when its standard input ends, however that came about.
# $1: what every call of this run is marked with; $2: the directory to work in; $3: what our answer begins with, behind
# whatever the start of a shell says there
trap '' TERM HUP INT QUIT
run=$1 hello=$3
case $2 in
  '') place=. ;;
  '~') place=$HOME ;;
  '~/'*) place=$HOME/${2#??} ;;
  /*) place=$2 ;;
  *) place=./$2 ;;
esac
unset CDPATH
cd -P "$place" 2>/dev/null || { printf '\000%s\000no\000' "$hello"; exit 1; }

# A session of its own has its own process group, which can be ended as a whole.
group=0
if [ -r "/proc/$$/stat" ]; then
  read -r stat <"/proc/$$/stat"
  set -- ${stat##*) }
  [ "$3" = "$$" ] && group=1
elif [ "$(ps -o pgid= -p $$ 2>/dev/null | tr -d ' ')" = "$$" ]; then
  group=1
fi

# Not every grep looks behind a NUL.
options=
for try in -lsF -lszF; do
  if [ -r "/proc/$$/environ" ] && printf 'a\000b' | grep "$try" b >/dev/null 2>&1; then
    options=$try
    break
  fi
done
files() {
  if [ -n "$options" ]; then
    grep "$options" "BUDDY_CALL=$1" /proc/[0-9]*/environ 2>/dev/null
    return
  fi
  for environ in /proc/[0-9]*/environ; do
    case $(tr '\000' '\n' 2>/dev/null <"$environ") in *"BUDDY_CALL=$1"*) printf '%s\n' "$environ" ;; esac
  done 2>/dev/null
}

zone=${TZ#:}
[ -n "$zone" ] || zone=$(readlink /etc/localtime 2>/dev/null)
[ -n "$zone" ] || zone=$(cat /etc/timezone 2>/dev/null)
printf '\000'
printf '%s\000' "$hello" yes "$(pwd -P)" "$HOME" "${zone##*/zoneinfo/}" "${TMPDIR:-/tmp}" "$(command -v tmux)" "$group" "$options"

# The processes of a call: whatever has its mark in its environment, also outside of its group.
look() {
  found=
  for file in $(files "$1"); do
    file=${file#/proc/}
    found="$found ${file%/environ}"
  done
}

# $1: the mark; $2: its process group, 0 if there is none; $3: tenths of a second to go in peace
finish() {
  left=$3
  look "$1"
  [ "$left" = 0 ] || [ -z "$found" ] || kill -TERM $found 2>/dev/null
  while [ "$left" -gt 0 ]; do
    look "$1"
    [ -n "$found" ] || break
    # A tenth of a second is more than POSIX promises.
    sleep 0.1 2>/dev/null || { sleep 1; left=$((left - 9)); }
    left=$((left - 1))
  done
  rounds=0
  while [ -n "$found" ] && [ $rounds -lt 20 ]; do
    kill -KILL $found 2>/dev/null
    look "$1"
    rounds=$((rounds + 1))
  done
  [ "$2" -le 1 ] || kill -KILL "-$2" 2>/dev/null
}

while read -r verb mark pgid; do
  case $verb in
    end) { finish "$mark" "$pgid" 20; printf 'ended %s\000' "$mark"; } & ;;
    look) look "$mark"; printf '%s %s\000' "${found:+some}" "$mark" ;;
    now) finish "$run" 0 0 ;;
  esac
done
finish "$run" 0 20
