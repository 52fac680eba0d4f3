/** A stretch of time on our own clock, which never goes back; Infinity: it is not over. */
export type Window = { readonly fromMs: number; readonly untilMs: number };

/**
 * What the target's uptime is on our clock: their difference lies between the two, which are as far apart as asking
 * takes. So no clocks have to agree, and a slow start of a script does no harm.
 */
export type Uptime = { readonly leastMs: number; readonly mostMs: number };

/** The script has to be asked between the two moments. */
export const uptimeOf = (seconds: number, askedMs: number, answeredMs: number): Uptime => ({
  leastMs: seconds * 1000 - answeredMs,
  mostMs: seconds * 1000 - askedMs,
});

const TICK_MS = 10;

export const sweepArguments = (
  shellPid: string,
  windows: readonly Window[],
  { leastMs, mostMs }: Uptime,
): readonly string[] => [
  shellPid,
  windows
    .map(({ fromMs, untilMs }) => {
      const from = Math.max(0, Math.floor((fromMs + leastMs) / TICK_MS) - 1);
      const until = untilMs === Number.POSITIVE_INFINITY ? 0 : Math.ceil((untilMs + mostMs) / TICK_MS) + 1;
      return `${from}-${until}`;
    })
    .join(" "),
];

/**
 * Ends the processes of a pane that began within one of the stretches: asks first, then kills; with a last argument
 * `now` kills at once. The shell itself is let
 * live. When a process began is known to a hundredth of a second.
 */
export const SWEEP = `
shell=$1 windows=$2
found() {
  cat /proc/[0-9]*/stat 2>/dev/null | awk -v shell="$shell" -v windows="$windows" '{
    pid = $1
    sub(/^.*\\) /, "")
    if ($4 != shell || pid == shell || $1 == "Z" || $1 == "X") next
    count = split(windows, window, " ")
    for (at = 1; at <= count; at++) {
      split(window[at], bound, "-")
      if ($20 >= bound[1] + 0 && (bound[2] == 0 || $20 <= bound[2] + 0)) { print pid; next }
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
[ "$3" != now ] || { kill -KILL $pids; exit 0; }
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
