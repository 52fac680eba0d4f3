import type { FileEvent, FileFailure, FileStat } from "../../../core/ports/target.ts";
import { err, ok, type Result } from "../../../core/result.ts";
import type { Answer } from "./answer.ts";
import { failed } from "./file-script.ts";
import { wordFilter } from "./words.ts";

/** What `read.sh` answers, as events. Returns whether the answer came to its end; if not, the last event is missing. */
export async function* readAnswer(
  answer: Answer,
  sign: string,
  path: string,
): AsyncGenerator<FileEvent, boolean> {
  const opened = await openingOf(answer);
  if (opened === undefined) return false;
  if (!opened.ok) {
    yield opened.error;
    return true;
  }
  const isHere = !isElsewhere(await answer.field(), path);
  if (isHere) yield { type: "opened", size: statOf(opened.value)?.size ?? 0 };
  const end = yield* content(answer, sign, isHere);
  if (end === undefined) return false;
  if (!isHere) yield failed("it is a link", "link");
  else yield end === "0" ? { type: "ended" } : failed("it cannot be read to its end");
  return true;
}

/** How it begins: the one thing that is told, or why there is none. */
export async function openingOf({ field }: Answer): Promise<Result<string, FileFailure> | undefined> {
  const [kind, detail] = [await field(), await field()];
  if (kind === undefined || detail === undefined) return undefined;
  if (kind === "ok") return ok(detail);
  const known = KINDS.find((one) => one === kind) ?? "other";
  return err(failed(detail, known));
}

const KINDS = ["not_found", "directory", "denied", "not_regular", "link"] as const;

/** Brings the content; the result is how reading ended over there, nothing if it broke off. */
async function* content(
  { bytes }: Answer,
  sign: string,
  isWanted: boolean,
): AsyncGenerator<FileEvent, string | undefined> {
  let end: string | undefined;
  const filter = wordFilter(sign, (word) => {
    end = word.slice(1);
    return "keep";
  });
  while (end === undefined) {
    const next = await bytes();
    if (next === undefined) return undefined;
    const chunk = filter.push(next);
    if (isWanted && chunk.length > 0) yield { type: "chunk", bytes: chunk };
  }
  return end;
}

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
