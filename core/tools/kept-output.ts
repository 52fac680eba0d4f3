import type { Spill, SpillFile } from "../ports/spill.ts";

/** Follows a stream and keeps all of it in a file as soon as there is more than a result may show. */
export type KeptOutput = {
  /** `shownChars`: how much the result may have to show of these bytes. */
  readonly add: (bytes: Uint8Array, shownChars: number) => void;
  readonly close: () => Promise<void>;
  /** For the model, once closed: where the whole is. Nothing when nothing was cut. */
  readonly notice: () => string | undefined;
};

/** Until more than `maxChars` have come there is no file: most outputs are short. */
export function keptOutput(spill: Spill, callId: string, name: string, maxChars: number): KeptOutput {
  let waiting: Uint8Array[] = [];
  let chars = 0;
  let bytesSeen = 0;
  let file: SpillFile | undefined;
  let failed: string | undefined;
  let missing: string | undefined;
  return {
    add: (bytes, shownChars) => {
      chars += shownChars;
      bytesSeen += bytes.length;
      if (failed !== undefined) return;
      if (file !== undefined) return file.write(bytes);
      waiting.push(bytes);
      if (chars <= maxChars) return;
      const made = spill.create(callId, name);
      if (made.ok) file = made.value;
      else failed = made.error;
      for (const earlier of waiting) file?.write(earlier);
      waiting = [];
    },
    close: async () => {
      missing = await file?.close();
    },
    notice: () => {
      if (failed !== undefined) return `The whole ${name} could not be kept: ${failed}`;
      if (file === undefined) return undefined;
      return `All of ${name} (${bytesSeen} bytes) is in "${file.path}"${missing ? `; ${missing}` : ""}`;
    },
  };
}
