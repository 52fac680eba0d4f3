cd -P "$dir" 2>/dev/null || because "$dir/." denied 'permission denied'
is_here "$dir"
[ -L "$name" ] && fail link 'it is a link'
[ -e "$name" ] || because "$name" not_found 'no such file or directory'
answer ok "$(ls -ldn "$name")"
