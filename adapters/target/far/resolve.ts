import type { FileEvent, FileFailure, Target } from "../../../core/ports/target.ts";
import { err, ok, type Result } from "../../../core/result.ts";
import type { Ahead } from "./ahead.ts";
import { type Answer, answerOf, behindSign } from "./answer.ts";
import type { FarSide } from "./far-side.ts";
import { failed, withScript } from "./file-script.ts";
import enter from "./files/enter.sh" with { type: "text" };
import read from "./files/read.sh" with { type: "text" };
import script from "./files/resolve.sh" with { type: "text" };
import { readAnswer } from "./read-answer.ts";

type Resolved = Result<string, FileFailure>;
type Asked = {
  readonly path: string;
  readonly answer: (resolved: Resolved) => void;
  readonly giveUp: (reason: unknown) => void;
};

/** Resolves paths on the far side. All that are asked for at the same moment go in one question. */
export function farResolver(far: FarSide, ahead: Ahead): Target["resolvePath"] {
  let waiting: Asked[] = [];
  const send = async (signal: AbortSignal): Promise<void> => {
    await Promise.resolve();
    const asked = waiting;
    waiting = [];
    const paths = asked.map(({ path }) => absolute(far, path));
    try {
      const answers = await resolveAll(far, paths, ahead, signal);
      for (const [index, { answer }] of asked.entries()) answer(answers[index] ?? err(failed(far.gone())));
    } catch (error) {
      for (const { giveUp } of asked) giveUp(error);
    }
  };
  return (path, signal) => {
    signal.throwIfAborted();
    const asked = Promise.withResolvers<Resolved>();
    waiting.push({ path, answer: asked.resolve, giveUp: asked.reject });
    if (waiting.length === 1) void send(signal);
    return asked.promise;
  };
}

/** `..` stays: behind a link it is the parent of where the link leads. */
function absolute({ facts }: FarSide, path: string): string {
  if (path === "~" || path.startsWith("~/")) return `${facts.home}/${path.slice(2)}`;
  return path.startsWith("/") ? path : `${facts.cwd}/${path}`;
}

async function resolveAll(
  far: FarSide,
  paths: readonly string[],
  ahead: Ahead,
  signal: AbortSignal,
): Promise<readonly Resolved[]> {
  const asked = await withScript(
    far,
    { text: `${script}\n${enter}\n${read}`, words: paths, input: "none" },
    async (session, sign) => {
      const answer = await answerOf(session, sign);
      const resolved: Resolved[] = [];
      while (answer && resolved.length < paths.length) {
        const [how, path] = [await answer.field(), await answer.field()];
        if (path === undefined) return undefined;
        resolved.push(how === "ok" ? ok(path) : err(failed("too many symbolic links")));
      }
      if (answer === undefined || !(await readFirst(answer, sign, resolved[0], ahead))) return undefined;
      return resolved;
    },
    signal,
  );
  return asked.ok ? asked.value : paths.map(() => asked);
}

/** Whether the answer was read to its end. */
async function readFirst(
  resolving: Answer,
  sign: string,
  first: Resolved | undefined,
  ahead: Ahead,
): Promise<boolean> {
  if ((await resolving.field()) !== "yes") return true;
  const answer = await behindSign(resolving, sign);
  if (answer === undefined || !first?.ok) return false;
  const events: FileEvent[] = [];
  const reading = readAnswer(answer, sign, first.value);
  for (let next = await reading.next(); ; next = await reading.next()) {
    if (next.done) {
      if (next.value) ahead.put(first.value, events);
      return next.value;
    }
    events.push(next.value);
  }
}
