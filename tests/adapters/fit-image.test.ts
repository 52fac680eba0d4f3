import { describe, expect, test } from "bun:test";
import { fitImage } from "../../adapters/image/fit-image.ts";
import { png } from "../fakes/png.ts";
import { unwrap } from "./in-directory.ts";

const kindOf = (base64: string): string => Buffer.from(base64, "base64").subarray(1, 4).toString("latin1");

describe("fitImage()", () => {
  test("leaves an image that fits as it is", async () => {
    const bytes = png(20, 10);
    expect(unwrap(await fitImage(bytes))).toEqual({
      part: { type: "image", media_type: "image/png", data: Buffer.from(bytes).toString("base64") },
      width: 20,
      height: 10,
    });
  });

  test("makes a large one smaller and keeps its shape", async () => {
    const { part, ...sizes } = unwrap(await fitImage(png(3136, 1000)));
    expect(sizes).toEqual({ width: 1568, height: 500, original: { width: 3136, height: 1000 } });
    expect([part.media_type, kindOf(part.data)]).toEqual(["image/png", "PNG"]);
  });

  test("makes one that has many bytes a JPEG that has few", async () => {
    const { part, width } = unwrap(await fitImage(png(1600, 1600, "noise")));
    expect([part.media_type, width]).toEqual(["image/jpeg", 1568]);
    expect(part.data.length).toBeLessThan(5_000_000);
  });

  test("says why when it is no image, or one that is too large to open", async () => {
    expect((await fitImage(new TextEncoder().encode("GIF89a and then nothing"))).ok).toBe(false);
    expect((await fitImage(png(20, 10).subarray(0, 40))).ok).toBe(false);
    const giant = png(1, 1);
    new DataView(giant.buffer).setUint32(16, 100_000);
    new DataView(giant.buffer).setUint32(20, 100_000);
    expect((await fitImage(giant)).ok).toBe(false);
  });
});
