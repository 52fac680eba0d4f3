import { MARK_NAME } from "./marked.ts";

/** Outlives a buddy that is killed without a warning, for as long as it takes to end what its commands started. */
export type Watchdog = {
  /** The process groups that live now. */
  readonly watch: (groups: readonly number[]) => void;
  readonly close: () => void;
};

// Standard input ends when buddy does, however that happens. Rounds, because what is killed may just have forked.
const SCRIPT = `
trap '' HUP INT TERM
while read -r line; do groups=$line; done
for group in $groups; do kill -KILL "-$group"; done
for round in 1 2 3 4 5 6 7 8 9 10; do
  found=
  for file in $(grep -lsF "$1" /proc/[0-9]*/environ); do
    pid=\${file#/proc/}
    kill -KILL "\${pid%/environ}" && found=1
  done
  [ -n "$found" ] || break
done`;

/** Throws when there is no shell. `mark` is how the marks of all commands begin. */
export function startWatchdog(mark: string): Watchdog {
  const child = Bun.spawn(["/bin/sh", "-c", SCRIPT, "buddy-watchdog", `${MARK_NAME}=${mark}`], {
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    stdin: "pipe",
    stdout: "ignore",
    stderr: "ignore",
    detached: true,
  });
  child.unref();
  return {
    watch: (groups) => {
      // Where marks can be looked for they say more, and never name a number that somebody else has by now.
      if (process.platform === "linux") return;
      child.stdin.write(`${groups.join(" ")}\n`);
      child.stdin.flush();
    },
    close: () => child.kill("SIGKILL"),
  };
}
