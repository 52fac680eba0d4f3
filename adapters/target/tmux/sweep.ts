/** A stretch of time, as ages in milliseconds: what began so long ago, until so long ago. */
export type Window = { readonly fromMs: number; readonly untilMs: number };

/** Room for the delay between a command being sent and a process being seen. */
const SLACK_MS = 30;

export const sweepArguments = (shellPid: string, windows: readonly Window[]): readonly string[] => [
  shellPid,
  windows.map(({ fromMs, untilMs }) => `${ticks(fromMs + SLACK_MS)}-${ticks(untilMs)}`).join(" "),
];

const ticks = (ms: number): number => Math.max(0, Math.ceil(ms / 10));

/**
 * Ends the processes of a pane that began within one of the stretches: asks first, then kills. Ages are counted from
 * now on the target, so that no two clocks have to agree. The shell itself is let live. The age of a process is known
 * to a hundredth of a second.
 */
export const SWEEP = `
shell=$1 windows=$2
found() {
  read -r now _ </proc/uptime || return
  now=\${now%.*}\${now#*.}
  for file in /proc/[0-9]*/stat; do
    { read -r line <"$file"; } 2>/dev/null || continue
    pid=\${line%% *}
    set -- \${line##*) }
    [ "$4" = "$shell" ] && [ "$pid" != "$shell" ] && [ "$1" != Z ] && [ "$1" != X ] || continue
    age=$((now - \${20}))
    for window in $windows; do
      [ $age -le \${window%-*} ] && [ $age -ge $((\${window#*-} - 1)) ] && echo "$pid"
    done
  done
}
pids=$(found | sort -u)
[ -n "$pids" ] || exit 0
kill -TERM $pids 2>/dev/null
kill -CONT $pids 2>/dev/null
for wait in 1 2 3 4 5 6 7 8; do
  pids=$(found | sort -u)
  [ -n "$pids" ] || exit 0
  sleep 0.05 2>/dev/null || sleep 1
done
kill -KILL $pids 2>/dev/null
exit 0
`;
