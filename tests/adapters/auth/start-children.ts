import { join } from "node:path";
import { childEnv } from "../../../adapters/host/child-env.ts";

export type Child = {
  /** Lets it begin; what it then printed, when it has ended. */
  readonly go: () => Promise<string>;
};

/** Processes of a script in `tests/fakes` that say "ready" and wait: all are there before the first may begin. */
export async function startChildren(
  count: number,
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<readonly Child[]> {
  const path = join(import.meta.dir, "../../fakes", script);
  return Promise.all(
    Array.from({ length: count }, async () => {
      const child = Bun.spawn([process.execPath, path, ...args], {
        env: { ...childEnv(process.env), ...env },
        stdin: "pipe",
        stdout: "pipe",
        stderr: "inherit",
      });
      const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
      await output.read();
      const go = async () => {
        child.stdin.write("go\n");
        await child.stdin.end();
        let text = "";
        for (let next = await output.read(); !next.done; next = await output.read()) text += next.value;
        await child.exited;
        return text;
      };
      return { go };
    }),
  );
}
