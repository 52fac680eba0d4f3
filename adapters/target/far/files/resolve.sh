# Where paths lead, and what is in the first of them if that is a short file: most of the time it is read next.
# $1: what our answer begins with; the rest: absolute paths
sign=$1 first=
shift
set -f
printf '\000%s\000' "$sign"
for rest; do
  at='' links=0 how=ok
  while [ -n "$rest" ]; do
    part=${rest%%/*}
    case $rest in */*) rest=${rest#*/} ;; *) rest= ;; esac
    case $part in
      '' | .) continue ;;
      ..) at=${at%/*}; continue ;;
    esac
    if [ -L "$at/$part" ]; then
      links=$((links + 1))
      [ $links -le 40 ] || { how=ring; break; }
      to=$(readlink "$at/$part"; printf x)
      to=${to%"${nl}x"}
      case $to in /*) at= ;; esac
      rest=$to/$rest
    else
      at=$at/$part
    fi
  done
  printf '%s\000%s\000' "$how" "${at:-/}"
  [ -n "$first" ] || first=$how:${at:-/}
done
ahead=no
case $first in
  ok:/proc/* | ok:/sys/* | ok:/dev/*) ;;
  ok:*)
    first=${first#ok:}
    if [ -f "$first" ] && [ -r "$first" ]; then
      set -- $(ls -ldn "$first")
      [ "$5" -gt 65536 ] || ahead=yes
    fi
    ;;
esac
printf '%s\000' $ahead
[ $ahead = yes ] || exit 0
dir=${first%/*}
set -- "$sign" "${dir:-/}" "${first##*/}"
