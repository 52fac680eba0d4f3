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
 * now on the target, so that no two clocks have to agree; until now is also what still begins. The shell itself is let live. The age of a process is known
 * to a hundredth of a second.
 */
export const SWEEP = `
shell=$1 windows=$2
{ read -r now _ </proc/uptime; } 2>/dev/null || exit 0
now=\${now%.*}\${now#*.}
found() {
  cat /proc/[0-9]*/stat 2>/dev/null | awk -v shell="$shell" -v now="$now" -v windows="$windows" '{
    pid = $1
    sub(/^.*\\) /, "")
    if ($4 != shell || pid == shell || $1 == "Z" || $1 == "X") next
    age = now - $20
    count = split(windows, window, " ")
    for (at = 1; at <= count; at++) {
      split(window[at], bound, "-")
      if (age <= bound[1] + 0 && (bound[2] == 0 || age >= bound[2] - 1)) { print pid; next }
    }
  }'
}
alive() {
  for pid in $pids; do
    { read -r line <"/proc/$pid/stat"; } 2>/dev/null || continue
    case "\${line##*) }" in [ZX]*) ;; *) return 0 ;; esac
  done
  return 1
}
pids=$(found)
[ -n "$pids" ] || exit 0
kill -TERM $pids 2>/dev/null
kill -CONT $pids 2>/dev/null
for pause in 0.01 0.02 0.05 0.1 0.2; do
  alive || break
  sleep $pause 2>/dev/null || sleep 1
done
pids=$(found)
[ -z "$pids" ] || kill -KILL $pids 2>/dev/null
exit 0
`;
