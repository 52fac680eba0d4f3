import { childEnv } from "./child-env.ts";
import { spawnGroup } from "./spawn.ts";
import { after } from "./timer.ts";

export type Probed =
  | { readonly type: "said"; readonly line: string; readonly code: number | null }
  | { readonly type: "absent" }
  | { readonly type: "silent" };

const MAX_BYTES = 4096;

/** Asks a program who it is: the first line that it says, on whichever stream, within the time. */
export async function probe(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  timeoutMs: number,
): Promise<Probed> {
  const [name = ""] = argv;
  const path = Bun.which(name, { PATH: env.PATH ?? "" });
  if (path === null) return { type: "absent" };
  try {
    const child = spawnGroup([path, ...argv.slice(1)], { cwd: "/", env: childEnv(env) });
    let late = false;
    const cancel = after(timeoutMs, () => {
      late = true;
      child.killNow();
    });
    const [out, errors, { code }] = await Promise.all([
      start(child.stdout),
      start(child.stderr),
      child.exited,
    ]);
    cancel();
    if (late) return { type: "silent" };
    return { type: "said", line: (out.trim() || errors.trim()).split("\n")[0] ?? "", code };
  } catch {
    return { type: "absent" }; // it is there, but cannot be started
  }
}

/** The beginning of a stream; what follows is read and dropped, so that the program can end. */
async function start(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of stream)
    if (text.length < MAX_BYTES) text += decoder.decode(bytes, { stream: true });
  return text.slice(0, MAX_BYTES);
}
