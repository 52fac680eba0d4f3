import type { ImagePart } from "../message.ts";
import type { Result } from "../result.ts";

export type FittedImage = {
  readonly part: ImagePart;
  /** As it is sent. */
  readonly width: number;
  readonly height: number;
  /** As it was, when it had to be made smaller. */
  readonly original?: { readonly width: number; readonly height: number };
};

/** Makes an image small enough for every provider. A failure says why it cannot be shown. */
export type FitImage = (bytes: Uint8Array) => Promise<Result<FittedImage, string>>;
