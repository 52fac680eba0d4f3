import { readFileSync, statSync } from "node:fs";
import { reasonOf } from "../adapters/host/errno.ts";
import { fitImage } from "../adapters/image/fit-image.ts";
import { type Failure, failure } from "../core/failure.ts";
import { type Part, text } from "../core/message.ts";
import { err, ok, type Result } from "../core/result.ts";
import type { Invocation } from "./command.ts";

const MAX_BYTES = 64 * 1024 * 1024;

export type Attachments = { readonly texts: readonly string[]; readonly images: readonly Part[] };

/** What `--file` and `--image` add to the prompt. */
export async function attachments(
  { flags }: Pick<Invocation, "flags">,
  model: { readonly name: string; readonly images: boolean },
): Promise<Result<Attachments, Failure>> {
  const texts: string[] = [];
  const images: Part[] = [];
  for (const name of flags.list("file")) {
    const read = await readText(name);
    if (!read.ok) return cannot("file", name, read.error);
    texts.push(`<file path=${JSON.stringify(name)}>\n${read.value}\n</file>`);
  }
  if (flags.list("image").length > 0 && !model.images) {
    return err(
      failure("usage", `The model "${model.name}" is not known to see images`, {
        hint: "choose another with -m, or say images = true for it in models.toml beside the configuration",
      }),
    );
  }
  for (const name of flags.list("image")) {
    const read = await readBytes(name);
    if (!read.ok) return cannot("image", name, read.error);
    const image = await fitImage(read.value);
    if (!image.ok) return cannot("image", name, image.error);
    images.push(text(`Image ${JSON.stringify(name)}:`), image.value.part);
  }
  return ok({ texts, images });
}

const cannot = (what: string, name: string, why: string): Result<never, Failure> =>
  err(failure("usage", `Cannot attach the ${what} "${name}": ${why}`));

async function readText(name: string): Promise<Result<string, string>> {
  const read = await readBytes(name);
  if (!read.ok) return read;
  try {
    const decoded = new TextDecoder("utf-8", { fatal: true }).decode(read.value);
    return decoded.includes("\0") ? err("it is not a text") : ok(decoded);
  } catch {
    return err("it is not a text in UTF-8");
  }
}

async function readBytes(name: string): Promise<Result<Uint8Array, string>> {
  try {
    const stat = statSync(name);
    if (stat.isDirectory()) return err("it is a directory");
    // A pipe is what a shell makes of <(command).
    if (stat.isFIFO()) return await readPipe(name);
    if (!stat.isFile()) return err("it is not a file");
    return stat.size > MAX_BYTES ? TOO_LARGE : ok(readFileSync(name));
  } catch (error) {
    return err(reasonOf(error));
  }
}

const TOO_LARGE = err("it is larger than 64 MiB");

/** Piece by piece, so that signals and the time limit are not kept waiting. */
async function readPipe(name: string): Promise<Result<Uint8Array, string>> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of Bun.file(name).stream()) {
    size += piece.length;
    if (size > MAX_BYTES) return TOO_LARGE;
    pieces.push(piece);
  }
  return ok(Buffer.concat(pieces));
}
