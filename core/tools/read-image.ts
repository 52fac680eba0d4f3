import { type ToolContext, type ToolOutput, toolFailure } from "../tool.ts";
import { explainFailure, readWhole } from "./file-change.ts";

/** Of the kinds that models can see, by the first bytes of a file. */
export function imageTypeOf(bytes: Uint8Array): string | undefined {
  const starts = (...wanted: readonly number[]) => wanted.every((byte, at) => bytes[at] === byte);
  if (starts(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return "image/png";
  if (starts(0xff, 0xd8, 0xff)) return "image/jpeg";
  if (starts(0x47, 0x49, 0x46, 0x38)) return "image/gif";
  const isWebp =
    starts(0x52, 0x49, 0x46, 0x46) && [0x57, 0x45, 0x42, 0x50].every((byte, at) => bytes[8 + at] === byte);
  return isWebp ? "image/webp" : undefined;
}

const MAX_IMAGE_BYTES = 50 * 1024 * 1024;

/** The image for a model that can see, small enough; its description for one that cannot. */
export async function readImage(path: string, type: string, context: ToolContext): Promise<ToolOutput> {
  const { target, limits, services, signal } = context;
  if (!limits.images) return toolFailure(`It is an image (${type}), and this model cannot see images`);
  const read = await readWhole(target, path, signal, MAX_IMAGE_BYTES);
  if (!read.ok) return toolFailure(explainFailure("read", path, read.error));
  const fitted = await services.fitImage(read.value);
  if (!fitted.ok)
    return toolFailure(`Cannot show the image (${type}, ${read.value.length} bytes): ${fitted.error}`);
  const { part, width, height, original } = fitted.value;
  return {
    result: {
      image: part.media_type,
      width,
      height,
      size_bytes: read.value.length,
      ...(original ? { resized_from: `${original.width}x${original.height}` } : {}),
    },
    images: [part],
    summary: `${part.media_type}, ${original ? `${original.width}×${original.height} → ` : ""}${width}×${height}`,
    isError: false,
  };
}
