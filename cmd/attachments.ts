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
    const read = readText(name);
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
    const read = readBytes(name);
    if (!read.ok) return cannot("image", name, read.error);
    const image = await fitImage(read.value);
    if (!image.ok) return cannot("image", name, image.error);
    images.push(text(`Image ${JSON.stringify(name)}:`), image.value.part);
  }
  return ok({ texts, images });
}

const cannot = (what: string, name: string, why: string): Result<never, Failure> =>
  err(failure("usage", `Cannot attach the ${what} "${name}": ${why}`));

function readText(name: string): Result<string, string> {
  const read = readBytes(name);
  if (!read.ok) return read;
  try {
    const decoded = new TextDecoder("utf-8", { fatal: true }).decode(read.value);
    return decoded.includes("\0") ? err("it is not a text") : ok(decoded);
  } catch {
    return err("it is not a text in UTF-8");
  }
}

function readBytes(name: string): Result<Uint8Array, string> {
  try {
    const stat = statSync(name);
    if (stat.isDirectory()) return err("it is a directory");
    if (!stat.isFile()) return err("it is not a file");
    if (stat.size > MAX_BYTES) return err("it is larger than 64 MiB");
    return ok(readFileSync(name));
  } catch (error) {
    return err(reasonOf(error));
  }
}
