import { diffTexts } from "../diff.ts";
import { type FileAccess, type Located, locateFile } from "../locate-file.ts";
import type { FileFailure, Target } from "../ports/target.ts";
import { err, ok, type Result } from "../result.ts";
import { type Settled, type ToolOutput, toolFailure } from "../tool.ts";

// What write_file and edit_file share: from a path to a change that was judged, and is made exactly so.

/** The longest file that is looked at as a whole. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024;

export type FoundFile = {
  /** Resolved on the target. */
  readonly path: string;
  /** Absent: there is none yet. */
  readonly bytes: Uint8Array | undefined;
};

type NoFile = Extract<Settled, { type: "denied" | "failed" }>;

/** The file that a path means, as it is now, if policy lets it be written. */
export async function findFile(
  access: FileAccess,
  given: string,
  signal: AbortSignal,
): Promise<Result<FoundFile, NoFile>> {
  const located = await locateFile(access, given, "write", signal);
  if (located.type !== "located") return err(notLocated("write", given, located));
  const { path } = located;
  const read = await readWhole(access.target, path, signal);
  if (read.ok) return ok({ path, bytes: read.value });
  if (read.error.kind === "not_found") return ok({ path, bytes: undefined });
  return err({ type: "failed", message: explainFailure("write", given, read.error) });
}

export function notLocated(
  verb: "read" | "write",
  given: string,
  located: Exclude<Located, { type: "located" }>,
): NoFile {
  if (located.type === "failed") return { type: "failed", message: explainFailure(verb, given, located) };
  const real = located.path === given ? "" : ` (${located.path})`;
  const reason = `Cannot ${verb} "${given}"${real}: ${located.reason}`;
  return { type: "denied", subject: located.path, reason };
}

/** The bytes of a file up to the limit; a longer one fails. */
export async function readWhole(
  target: Target,
  path: string,
  signal: AbortSignal,
  maxBytes = MAX_FILE_BYTES,
): Promise<Result<Uint8Array, FileFailure>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const event of target.readFile(path, signal)) {
    if (event.type === "failed") return err(event);
    if (event.type === "opened" && event.size > maxBytes) return err(tooLarge(maxBytes));
    if (event.type !== "chunk") continue;
    size += event.bytes.length;
    if (size > maxBytes) return err(tooLarge(maxBytes));
    chunks.push(event.bytes);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return ok(whole);
}

const tooLarge = (maxBytes: number): FileFailure => ({
  type: "failed",
  kind: "other",
  detail: `it is larger than ${maxBytes} bytes. Use run_shell`,
});

export type Change = FoundFile & {
  readonly given: string;
  readonly after: Uint8Array;
  readonly report: (written: { readonly created: boolean }, counts: LineCounts) => Omit<ToolOutput, "diff">;
};

export type LineCounts = { readonly added: number; readonly removed: number };

/** The call that shows this change to whoever approves, and makes it if the file is still what it was. */
export function changeCall({ path, bytes: before, given, after, report }: Change): Settled {
  const diff = diffTexts(textOf(before), textOf(after));
  const counts = { added: diff.added, removed: diff.removed };
  const need = {
    kind: "file",
    subject: path,
    diff: diff.text,
    risk: "medium",
    mutation: true,
    privesc: false,
    why: `${before === undefined ? "make" : "change"} a file: ${linesChanged(counts)}`,
  } as const;
  return {
    type: "ready",
    call: {
      need,
      execute: async ({ target, signal }) => {
        const now = await readWhole(target, path, signal);
        if (!now.ok && now.error.kind !== "not_found") {
          return toolFailure(explainFailure("write", given, now.error));
        }
        if (!isSame(before, now.ok ? now.value : undefined)) {
          return toolFailure(`Not written: "${given}" has changed meanwhile. Read it again`);
        }
        const written = await target.writeFile(path, after, {}, signal);
        if (!written.ok) return toolFailure(explainFailure("write", given, written.error));
        return { ...report(written.value, counts), diff: diff.text };
      },
    },
  };
}

export const linesChanged = ({ added, removed }: LineCounts): string => `+${added} −${removed} lines`;

function isSame(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

const textOf = (bytes: Uint8Array | undefined): string =>
  bytes === undefined ? "" : new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);

export function explainFailure(verb: "read" | "write", path: string, { kind, detail }: FileFailure): string {
  const what = `Cannot ${verb} "${path}"`;
  switch (kind) {
    case "directory":
      return `${what}: it is a directory${verb === "read" ? ". List it with run_shell: ls -la" : ""}`;
    case "not_found":
      return `${what}: no such file`;
    case "denied":
      return `${what}: ${verb === "read" ? "permission denied" : detail}`;
    case "not_regular":
      return `${what}: not a regular file`;
    case "link":
      return `${what}: a link was put in its place`;
    case "other":
      return `${what}: ${detail}`;
  }
}
