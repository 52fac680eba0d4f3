/** What the terminal of a pane is doing, as its own side knows it. */
export type Terminal = {
  /** Whether the pane's own shell is what the terminal listens to. */
  readonly shellInFront: boolean;
  /** The pane's program has ended and nobody has asked how. */
  readonly ended: boolean;
  /** Whole lines are read: no editor of lines, no full-screen program. */
  readonly canonical: boolean;
  readonly echo: boolean;
  /** Seconds since the target was started; undefined where it does not say. */
  readonly uptime: number | undefined;
};

export const PROBE = `
{ read -r uptime _ </proc/uptime; } 2>/dev/null && echo "uptime $uptime"
{ read -r line <"/proc/$1/stat"; } 2>/dev/null && {
  set -- "$1" "$2" \${line##*) }
  [ "$3" = Z ] && echo ended
  [ "$8" = "$1" ] && echo front
}
stty -a <"$2" 2>/dev/null
exit 0
`;

export function terminalOf(said: string): Terminal {
  return {
    shellInFront: /^front$/m.test(said),
    ended: /^ended$/m.test(said),
    uptime: uptimeIn(said),
    canonical: /(^|\s)icanon(;|\s|$)/m.test(said),
    echo: /(^|\s)echo(;|\s|$)/m.test(said),
  };
}

function uptimeIn(said: string): number | undefined {
  const found = /^uptime ([0-9.]+)$/m.exec(said)?.[1];
  return found === undefined ? undefined : Number(found);
}
