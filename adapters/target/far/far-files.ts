import { posix } from "node:path";
import type { FileEvent, FileFailure, Target, WriteOptions } from "../../../core/ports/target.ts";
import { err, ok, type Result } from "../../../core/result.ts";
import { type Ahead, readAhead } from "./ahead.ts";
import { answerOf } from "./answer.ts";
import type { FarSide } from "./far-side.ts";
import { type FileScript, failed, withScript } from "./file-script.ts";
import enter from "./files/enter.sh" with { type: "text" };
import read from "./files/read.sh" with { type: "text" };
import stat from "./files/stat.sh" with { type: "text" };
import write from "./files/write.sh" with { type: "text" };
import { openingOf, readAnswer, statOf } from "./read-answer.ts";
import { farResolver } from "./resolve.ts";
import type { Session } from "./sessions.ts";

/** Files over a link: one script, and so one way there and back, for each thing that is done with one. */
export function farFiles(far: FarSide): Pick<Target, "resolvePath" | "stat" | "readFile" | "writeFile"> {
  const place = (path: string): readonly [string, string] => {
    const whole = posix.resolve(far.facts.cwd, path);
    return [posix.dirname(whole), posix.basename(whole) || "."];
  };
  const ahead = readAhead();
  return {
    resolvePath: farResolver(far, ahead),
    stat: (path, signal) => asking(far, { text: stat, words: place(path), input: "none" }, statOf, signal),
    readFile: (path, signal) => readFar(far, ahead, place(path), signal),
    writeFile: (path, bytes, options, signal) => writeFar(far, place(path), bytes, options, signal),
  };
}

type Place = readonly [string, string];

/** One question, one answer. */
async function asking<T>(
  far: FarSide,
  script: FileScript & { readonly data?: Uint8Array },
  parse: (text: string) => T | undefined,
  signal: AbortSignal,
): Promise<Result<T, FileFailure>> {
  const work = async (session: Session, sign: string) => {
    if (script.data) void session.stdin.write(script.data).then(session.stdin.close);
    const answer = await answerOf(session, sign);
    return answer && openingOf(answer);
  };
  const asked = await withScript(far, { ...script, text: `${enter}\n${script.text}` }, work, signal);
  if (!asked.ok) return asked;
  if (!asked.value.ok) return asked.value;
  const parsed = parse(asked.value.value);
  return parsed === undefined ? err(failed(`"${asked.value.value}" was not understood`)) : ok(parsed);
}

const writeFar = (
  far: FarSide,
  place: Place,
  bytes: Uint8Array,
  { mode }: WriteOptions,
  signal: AbortSignal,
): Promise<Result<{ readonly created: boolean }, FileFailure>> => {
  const words = [...place, String(bytes.length), mode === undefined ? "" : mode.toString(8)];
  const word = bytes.length > MAX_WORD ? undefined : printfWord(bytes);
  const script =
    word === undefined || word.length > MAX_WORD
      ? ({ text: write, words: [...words, "input", ""], input: "own", data: bytes } as const)
      : ({ text: write, words: [...words, "word", word], input: "none" } as const);
  return asking(far, script, (old) => ({ created: old !== "yes" }), signal);
};

async function* readFar(
  far: FarSide,
  ahead: Ahead,
  place: Place,
  signal: AbortSignal,
): AsyncGenerator<FileEvent> {
  const path = posix.join(...place);
  const known = ahead.take(path);
  if (known) return yield* known;
  const sign = crypto.randomUUID();
  const script = { text: `${enter}\n${read}`, words: [sign, ...place], input: "none" } as const;
  const started = await far.script(script, signal);
  if (!started.ok) return yield failed(started.error);
  const { session, free } = started.value;
  const onAbort = () => session.killNow();
  signal.addEventListener("abort", onAbort, { once: true });
  let isWhole = false;
  try {
    const answer = await answerOf(session, sign);
    isWhole = answer !== undefined && (yield* readAnswer(answer, sign, path));
    signal.throwIfAborted();
    if (!isWhole) yield failed(far.gone());
  } finally {
    signal.removeEventListener("abort", onAbort);
    if (isWhole) free();
    else session.killNow();
  }
}

/** A session that has read input of its own cannot serve again, so what is short comes as a word. */
const MAX_WORD = 32 * 1024;

/** What `printf %b` makes these bytes of. */
const printfWord = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString("latin1")
    .replace(/[^ -~]|[\\']/g, (byte) => `\\0${byte.charCodeAt(0).toString(8).padStart(3, "0")}`);
