# $1: what our answer begins with; the rest: absolute paths
sign=$1
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
done
