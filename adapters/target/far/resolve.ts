import type { FileFailure, Target } from "../../../core/ports/target.ts";
import { err, ok, type Result } from "../../../core/result.ts";
import { answerOf } from "./answer.ts";
import type { FarSide } from "./far-side.ts";
import { failed, withScript } from "./file-script.ts";
import script from "./files/resolve.sh" with { type: "text" };

type Resolved = Result<string, FileFailure>;
type Asked = { readonly path: string; readonly answer: (resolved: Resolved) => void };

/** Resolves paths on the far side. All that are asked for at the same moment go in one question. */
export function farResolver(far: FarSide): Target["resolvePath"] {
  let waiting: Asked[] = [];
  const send = async (signal: AbortSignal): Promise<void> => {
    await Promise.resolve();
    const asked = waiting;
    waiting = [];
    const paths = asked.map(({ path }) => absolute(far, path));
    const answers = await resolveAll(far, paths, signal);
    for (const [index, { answer }] of asked.entries()) answer(answers[index] ?? err(failed(far.gone())));
  };
  return (path, signal) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const stop = () => reject(signal.reason);
      signal.addEventListener("abort", stop, { once: true });
      const answer = (resolved: Resolved) => {
        signal.removeEventListener("abort", stop);
        resolve(resolved);
      };
      waiting.push({ path, answer });
      if (waiting.length === 1) send(signal).catch(reject);
    });
}

/** `..` stays: behind a link it is the parent of where the link leads. */
function absolute({ facts }: FarSide, path: string): string {
  if (path === "~" || path.startsWith("~/")) return `${facts.home}/${path.slice(2)}`;
  return path.startsWith("/") ? path : `${facts.cwd}/${path}`;
}

async function resolveAll(
  far: FarSide,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<readonly Resolved[]> {
  const asked = await withScript(
    far,
    { text: script, words: paths, input: "none" },
    async (session, sign) => {
      const answer = await answerOf(session, sign);
      const resolved: Resolved[] = [];
      while (answer && resolved.length < paths.length) {
        const [how, path] = [await answer.field(), await answer.field()];
        if (path === undefined) return undefined;
        resolved.push(how === "ok" ? ok(path) : err(failed("too many symbolic links")));
      }
      return answer && resolved;
    },
    signal,
  );
  return asked.ok ? asked.value : paths.map(() => asked);
}
