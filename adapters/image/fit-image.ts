import type { FitImage } from "../../core/ports/fit-image.ts";
import { err, ok } from "../../core/result.ts";

/** What every provider takes without making it smaller itself: the longest side, and bytes before base64. */
const MAX_SIDE = 1568;
const MAX_BYTES = 3_700_000;
/** A small file can hold a giant: it is refused by its header. */
const MAX_PIXELS = 100_000_000;
const QUALITIES = [85, 60, 35];

/** With Bun's own codecs. Animations are shown by their first frame when they have to be made smaller. */
export const fitImage: FitImage = async (bytes) => {
  try {
    const { width, height, format } = await open(bytes).metadata();
    const fits = Math.max(width, height) <= MAX_SIDE && bytes.length <= MAX_BYTES;
    if (fits && KINDS.includes(format)) {
      await isWhole(bytes);
      return ok({ part: partOf(bytes, format), width, height });
    }
    const small = open(bytes).resize(MAX_SIDE, MAX_SIDE, { fit: "inside", withoutEnlargement: true });
    const encoded = await firstThatFits(small, format);
    const now = await open(encoded.bytes).metadata();
    const part = partOf(encoded.bytes, encoded.format);
    return ok({ part, width: now.width, height: now.height, original: { width, height } });
  } catch (error) {
    return err(error instanceof Error ? error.message.replace(/^Image: /, "") : String(error));
  }
};

const KINDS: readonly string[] = ["png", "jpeg", "gif", "webp"];

// A copy: Bun works on the bytes in another thread, and takes no views of a shared buffer.
const open = (bytes: Uint8Array): Bun.Image => new Bun.Image(bytes.slice(), { maxPixels: MAX_PIXELS });

/** Throws when the pixels cannot be read: a provider would refuse the image, and with it every later request. */
const isWhole = (bytes: Uint8Array): Promise<Uint8Array> => open(bytes).resize(1, 1).png().bytes();

type Encoded = { readonly bytes: Uint8Array; readonly format: string };

/** Sharp edges stay sharp where that is small enough; photographs are JPEG anyway. */
async function firstThatFits(image: Bun.Image, format: string): Promise<Encoded> {
  if (format !== "jpeg") {
    const bytes = await image.png().bytes();
    if (bytes.length <= MAX_BYTES) return { bytes, format: "png" };
  }
  for (const quality of QUALITIES) {
    const bytes = await image.jpeg({ quality }).bytes();
    if (bytes.length <= MAX_BYTES) return { bytes, format: "jpeg" };
  }
  throw new Error("it cannot be made small enough");
}

const partOf = (bytes: Uint8Array, format: string) =>
  ({ type: "image", media_type: `image/${format}`, data: Buffer.from(bytes).toString("base64") }) as const;
