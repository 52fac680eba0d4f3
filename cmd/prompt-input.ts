import { fstatSync, readFileSync } from "node:fs";
import { isTerminal } from "../adapters/host/output.ts";
import { type Failure, failure } from "../core/failure.ts";
import { err, ok, type Result } from "../core/result.ts";

export type StdinMode = "auto" | "require" | "ignore";

export type PromptInput = { readonly prompt: string; readonly notice?: string };

/** How long an open but silent standard input holds up a run that has a prompt. */
const SILENCE_MS = 500;
const MAX_BYTES = 64 * 1024 * 1024;

/** The words as one prompt; `-` stands for standard input. */
export function checkPrompt(words: readonly string[]): Result<string, Failure> {
  const given = words.join(" ");
  return given.trim() === "" ? err(emptyPrompt()) : ok(given);
}

/** The prompt of `exec`: the words, with piped input attached, or all of it from standard input. */
export async function promptInput(
  given: string,
  mode: StdinMode,
  attached: readonly string[] = [],
): Promise<Result<PromptInput, Failure>> {
  const fromStdin = given === "-";
  const kind = stdinKind();
  if (kind === "directory" && (mode !== "ignore" || fromStdin)) {
    return err(failure("usage", "Standard input is a directory"));
  }
  const read =
    mode === "ignore" && !fromStdin ? SILENT : await readStdin(kind, fromStdin || mode === "require");
  if (read.type === "too_large") return err(failure("usage", "Standard input is larger than 64 MiB"));
  if (fromStdin && read.text.trim() === "") return err(emptyPrompt());
  if (fromStdin) return ok({ prompt: [read.text, ...attached].join("\n\n") });
  const stdin = read.text === "" ? [] : [`<stdin>\n${read.text}\n</stdin>`];
  const prompt = [given, ...attached, ...stdin].join("\n\n");
  if (read.type !== "gave_up") return ok({ prompt });
  return ok({
    prompt,
    notice: "Standard input is open but silent: going on without it (--stdin require waits)",
  });
}

const emptyPrompt = (): Failure =>
  failure("usage", "The prompt is empty", {
    hint: 'buddy exec "what to do", or: echo "what to do" | buddy exec -',
  });

type StdinRead =
  | { readonly type: "read" | "gave_up"; readonly text: string }
  | { readonly type: "too_large" };

const SILENT: StdinRead = { type: "read", text: "" };

/** Once a first byte has come it is read to its end, like by any filter. */
async function readStdin(kind: StdinKind, mustWait: boolean): Promise<StdinRead> {
  if (kind === "closed" || (kind === "terminal" && !mustWait)) return SILENT;
  if (kind === "file") return { type: "read", text: readFileSync(0, "utf8") };
  const reader = Bun.stdin.stream().getReader();
  const decoder = new TextDecoder();
  let text = "";
  let received = 0;
  let pending = reader.read();
  if (!mustWait && !(await arrivesWithin(pending, SILENCE_MS))) return { type: "gave_up", text: "" };
  for (let next = await pending; !next.done; next = await pending) {
    received += next.value.length;
    if (received > MAX_BYTES) return { type: "too_large" };
    text += decoder.decode(next.value, { stream: true });
    pending = reader.read();
  }
  return { type: "read", text: text + decoder.decode() };
}

type StdinKind = "closed" | "terminal" | "file" | "directory" | "stream";

function stdinKind(): StdinKind {
  try {
    const stat = fstatSync(0);
    if (stat.isCharacterDevice()) return isTerminal(0) ? "terminal" : "closed";
    if (stat.isDirectory()) return "directory";
    return stat.isFile() && stat.size <= MAX_BYTES ? "file" : "stream";
  } catch {
    return "closed"; // EBADF: started without a standard input
  }
}

async function arrivesWithin(pending: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const arrived = await Promise.race([pending.then(() => true), late]);
  clearTimeout(timer);
  return arrived;
}
