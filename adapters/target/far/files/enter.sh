# Goes into a directory without following a link. What is done afterwards is done in this directory, whatever is
# renamed or linked meanwhile: it is the working directory, not a name.
# $1: what our answer begins with; $2: the directory, an absolute path without links; $3: the name in it
sign=$1 dir=$2 name=./$3
set -f
exec 2>/dev/null
unset CDPATH
LC_ALL=C
export LC_ALL
answer() { printf '\000%s\000%s\000%s\000' "$sign" "$1" "$2"; }
fail() { answer "$1" "$2"; exit 0; }
because() {
  words=$(ls -ld "$1" 2>&1 >/dev/null)
  case $words in
    *'ermission denied'*) fail denied 'permission denied' ;;
    *'oo many'*) fail link 'too many symbolic links' ;;
    *'o such file'* | *'ot a directory'*) fail not_found 'no such file or directory' ;;
    *) fail "$2" "$3" ;;
  esac
}
is_here() { [ "$(pwd -P; printf x)" = "$1${nl}x" ] || fail link 'a link is on the way'; }
