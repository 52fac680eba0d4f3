cd -P "$dir" 2>/dev/null || because "$dir/." denied 'permission denied'
is_here "$dir"
[ -L "$name" ] && fail link 'it is a link'
[ -d "$name" ] && fail directory 'it is a directory'
[ -e "$name" ] || because "$name" not_found 'no such file or directory'
[ -f "$name" ] || fail not_regular 'not a regular file'
[ -r "$name" ] || fail denied 'permission denied'
{
  answer ok "$(ls -ldn "$name")"
  # Where the system can tell, what was opened is named: a link could have been put there after the last look.
  printf '%s\000' "$(readlink /proc/self/fd/0 2>/dev/null)"
  cat
} <"$name"
printf '%se%s\n' "$sign" $?
