import { Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";
import type { WebFailure } from "../../core/ports/web.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { HopResponse } from "./hop.ts";

export type Body = { readonly bytes: Uint8Array; readonly cut: boolean };

/** The decoded body up to `maxBytes`. What unpacks to more than that is a bomb; what is plainly longer is cut. */
export async function readBody(
  { body, header, close }: Pick<HopResponse, "body" | "header" | "close">,
  maxBytes: number,
): Promise<Result<Body, WebFailure>> {
  const encoding = (header("content-encoding") ?? "").trim().toLowerCase();
  const plain = await collect(body, maxBytes).finally(close);
  if (encoding === "" || encoding === "identity" || plain.bytes.length === 0) return ok(plain);
  if (plain.cut) return err(tooLarge(maxBytes));
  const unpack = unpacker(encoding, plain.bytes[0] ?? 0);
  if (unpack === undefined) {
    return err({ kind: "unreadable", detail: `The page is encoded as ${JSON.stringify(encoding)}` });
  }
  return unpacked(plain.bytes, unpack, maxBytes);
}

const tooLarge = (maxBytes: number): WebFailure => ({
  kind: "too_large",
  detail: `The page unpacks to more than ${maxBytes / 1024 / 1024} MiB`,
});

async function unpacked(
  packed: Uint8Array,
  unpack: Transform,
  maxBytes: number,
): Promise<Result<Body, WebFailure>> {
  try {
    const whole = await collect(Readable.from([packed]).pipe(unpack), maxBytes);
    return whole.cut ? err(tooLarge(maxBytes)) : ok(whole);
  } catch (error) {
    const detail = `The page cannot be unpacked: ${error instanceof Error ? error.message : String(error)}`;
    return err({ kind: "unreadable", detail });
  } finally {
    unpack.destroy();
  }
}

function unpacker(encoding: string, firstByte: number): Transform | undefined {
  switch (encoding) {
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "br":
      return createBrotliDecompress();
    case "deflate":
      // Some servers leave out the zlib header that the standard asks for.
      return (firstByte & 0x0f) === 8 ? createInflate() : createInflateRaw();
    default:
      return undefined;
  }
}

async function collect(source: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Body> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of source) {
    chunks.push(chunk.subarray(0, maxBytes - size));
    size += chunk.length;
    if (size > maxBytes) break;
  }
  return { bytes: Buffer.concat(chunks), cut: size > maxBytes };
}
