# $4: how many bytes come; $5: the mode of a new file, or nothing; $6: whether they come as $7, or as our input
size=$4 mode=$5 source=$6 text=$7
content() { if [ "$source" = word ]; then printf %b "$text"; else cat; fi; }
read_only() {
  case $(ls -ldn "$1") in
    ??w* | ?????w* | ????????w*) return 1 ;;
  esac
}
make_way() {
  at='' rest=${dir#/}
  cd -P / || fail other 'cannot go to the root directory'
  while [ -n "$rest" ]; do
    part=${rest%%/*}
    case $rest in */*) rest=${rest#*/} ;; *) rest= ;; esac
    at=$at/$part
    [ -L "./$part" ] && fail link 'a link is on the way'
    if [ ! -d "./$part" ]; then
      [ -e "./$part" ] && fail not_found 'a part of the path is not a directory'
      read_only . && fail denied 'the directory is read-only'
      mkdir "./$part" 2>/dev/null || [ -d "./$part" ] || because "./$part/." denied 'permission denied'
    fi
    cd -P "./$part" 2>/dev/null || because "./$part/." denied 'permission denied'
    is_here "$at"
  done
}
cd -P "$dir" 2>/dev/null || make_way
is_here "$dir"
old=
[ -L "$name" ] && fail link 'it is a link'
[ -d "$name" ] && fail directory 'it is a directory'
if [ -e "$name" ]; then
  [ -f "$name" ] || fail not_regular 'not a regular file'
  read_only "$name" && fail denied 'the file is read-only'
  old=yes
fi
read_only . && fail denied 'the directory is read-only'

temporary=./.buddy-$sign.tmp
give_up() { rm -f "$temporary"; fail "$1" "$2"; }
(
  # Only a file that was not there is written; one that is to replace another is private until it is like that one.
  set -C
  [ -z "$old" ] || umask 077
  content | { dd bs=65536 conv=fsync 2>/dev/null || cat; } >"$temporary"
) 2>/dev/null || {
  [ -w . ] || give_up denied 'permission denied'
  give_up other 'the disk is full, or the file cannot be written'
}
set -- $(ls -ldn "$temporary")
[ "$5" = "$size" ] || give_up other 'not everything arrived'
if [ -n "$old" ]; then
  set -- $(ls -ldn "$name")
  chown "$3:$4" "$temporary" 2>/dev/null
  mode=$(stat -c %a "$name" 2>/dev/null || stat -f %Mp%Lp "$name" 2>/dev/null)
  [ -n "$mode" ] || give_up other 'the mode of the file cannot be read'
fi
if [ -n "$mode" ]; then chmod "$mode" "$temporary" 2>/dev/null || give_up denied 'its mode cannot be kept'; fi
# Where mv can be told not to look whether the name is a directory, a link that is put there now is replaced.
mv -fT "$temporary" "$name" 2>/dev/null || {
  if [ -L "$name" ] || [ -d "$name" ]; then give_up link 'a link is on the way'; fi
  mv -f "$temporary" "$name" 2>/dev/null || give_up denied 'permission denied'
}
answer ok "${old:-no}"
