# Runs one program and says how it went. Ends well only when the shell around it can be used again.
# $1: the mark that its processes carry, nothing if what it starts is to stay; $2: what begins each word of ours in the output; $3: the directory;
# $4: whether the program reads our standard input; $5: how grep is told to look behind a NUL; the rest: the program
trap : TERM HUP INT
mark=$1 say=$2 place=$3 input=$4 options=$5
shift 5
# What the shell itself has to say about a program that was killed is not the program's output.
exec 4>&2 2>/dev/null
unset CDPATH
cd -P "$place" || { printf '%sn\n' "$say" >&4; exit 1; }
if [ -n "$mark" ]; then
  BUDDY_CALL=$mark
  export BUDDY_CALL
fi
printf '%ss%s\n' "$say" $$ >&4
printf '%ss%s\n' "$say" $$
if [ "$input" = pipe ]; then (exec "$@" 2>&4 4>&-); else (exec "$@" </dev/null 2>&4 4>&-); fi
code=$? left=some
# What runs on in the background may have more to say.
[ -n "$mark" ] || left=none options=
case $options in
  -*) [ -n "$(unset BUDDY_CALL; exec grep "$options" "BUDDY_CALL=$mark" /proc/[0-9]*/environ)" ] || left=none ;;
esac
printf '%se%s %s\n' "$say" $code $left >&4
printf '%se%s %s\n' "$say" $code $left
[ $left = none ]
