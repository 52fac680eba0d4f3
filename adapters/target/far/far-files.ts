import { posix } from "node:path";
import type { FileEvent, FileFailure, FileStat, Target, WriteOptions } from "../../../core/ports/target.ts";
import { err, ok, type Result } from "../../../core/result.ts";
import { type Answer, answerOf } from "./answer.ts";
import type { FarSide } from "./far-side.ts";
import { type FileScript, failed, withScript } from "./file-script.ts";
import enter from "./files/enter.sh" with { type: "text" };
import read from "./files/read.sh" with { type: "text" };
import stat from "./files/stat.sh" with { type: "text" };
import write from "./files/write.sh" with { type: "text" };
import { farResolver } from "./resolve.ts";
import type { Session } from "./sessions.ts";
import { wordFilter } from "./words.ts";

/** Files over a link: one script, and so one way there and back, for each thing that is done with one. */
export function farFiles(far: FarSide): Pick<Target, "resolvePath" | "stat" | "readFile" | "writeFile"> {
  const place = (path: string): readonly [string, string] => {
    const whole = posix.resolve(far.facts.cwd, path);
    return [posix.dirname(whole), posix.basename(whole) || "."];
  };
  return {
    resolvePath: farResolver(far),
    stat: (path, signal) => asking(far, { text: stat, words: place(path), input: "none" }, statOf, signal),
    readFile: (path, signal) => readFar(far, place(path), signal),
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

async function openingOf({ field }: Answer): Promise<Result<string, FileFailure> | undefined> {
  const [kind, detail] = [await field(), await field()];
  if (kind === undefined || detail === undefined) return undefined;
  if (kind === "ok") return ok(detail);
  const known = KINDS.find((one) => one === kind) ?? "other";
  return err(failed(detail, known));
}

const KINDS = ["not_found", "directory", "denied", "not_regular", "link"] as const;

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

async function* readFar(far: FarSide, place: Place, signal: AbortSignal): AsyncGenerator<FileEvent> {
  const sign = crypto.randomUUID();
  const script = { text: `${enter}\n${read}`, words: [sign, ...place], input: "none" } as const;
  const started = await far.script(script, signal);
  if (!started.ok) return yield failed(started.error);
  const { session, free } = started.value;
  const onAbort = () => session.killNow();
  signal.addEventListener("abort", onAbort, { once: true });
  let isRead = false;
  try {
    const answer = await answerOf(session, sign);
    const opened = answer && (await openingOf(answer));
    if (answer === undefined || opened === undefined) return yield failed(far.gone());
    isRead = !opened.ok;
    if (!opened.ok) return yield opened.error;
    const real = await answer.field();
    if (isElsewhere(real, posix.join(...place))) return yield failed("it is a link", "link");
    yield { type: "opened", size: statOf(opened.value)?.size ?? 0 };
    const end = yield* content(answer, sign);
    signal.throwIfAborted();
    isRead = end !== undefined;
    yield end === "0" ? { type: "ended" } : failed(isRead ? "it cannot be read to its end" : far.gone());
  } finally {
    signal.removeEventListener("abort", onAbort);
    if (isRead) free();
    else session.killNow();
  }
}

/** Brings the content; the result is how reading ended over there, nothing if it broke off. */
async function* content({ bytes }: Answer, sign: string): AsyncGenerator<FileEvent, string | undefined> {
  let end: string | undefined;
  const filter = wordFilter(sign, (word) => {
    end = word.slice(1);
    return "keep";
  });
  while (end === undefined) {
    const next = await bytes();
    if (next === undefined) return undefined;
    const chunk = filter.push(next);
    if (chunk.length > 0) yield { type: "chunk", bytes: chunk };
  }
  return end;
}

/** A session that has read input of its own cannot serve again, so what is short comes as a word. */
const MAX_WORD = 32 * 1024;

/** What `printf %b` makes these bytes of. */
const printfWord = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString("latin1")
    .replace(/[^ -~]|[\\']/g, (byte) => `\\0${byte.charCodeAt(0).toString(8).padStart(3, "0")}`);

/** A file that was replaced after it was opened is still the one that was asked for. */
const isElsewhere = (real: string | undefined, path: string): boolean =>
  real !== undefined && real !== "" && real !== path && real !== `${path} (deleted)`;

const LISTED = /^(.)([-rwxsStT]{9})\S*\s+\d+\s+\S+\s+\S+\s+(?:(\d+)\s|\d+,)/;

/** What `ls -ldn` says: the one way to ask that POSIX knows. */
export function statOf(line: string): FileStat | undefined {
  const found = LISTED.exec(line);
  if (!found) return undefined;
  const [, kind, letters = "", size] = found;
  const type = kind === "-" ? "file" : kind === "d" ? "directory" : "other";
  return { type, size: Number(size ?? 0), mode: modeOf(letters) };
}

function modeOf(letters: string): number {
  let mode = 0;
  [...letters].forEach((letter, at) => {
    if ("rwxst".includes(letter)) mode |= 0o400 >> at;
    if ("sStT".includes(letter)) mode |= 0o4000 >> Math.floor(at / 3);
  });
  return mode;
}
