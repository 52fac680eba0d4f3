import { crc32, deflateSync } from "node:zlib";

/** A PNG of noise (which does not shrink) or of one grey, of any size. */
export function png(width: number, height: number, kind: "noise" | "plain" = "plain"): Uint8Array {
  const rowBytes = 3 * width + 1;
  const rows = Buffer.alloc(rowBytes * height, 0x80);
  if (kind === "noise") {
    let seed = 1;
    for (let at = 0; at < rows.length; at++) {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      rows[at] = seed >> 16;
    }
  }
  // Each row begins with how it was filtered: not.
  for (let row = 0; row < height; row++) rows[row * rowBytes] = 0;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const parts = [chunk("IHDR", header), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))];
  return new Uint8Array(Buffer.concat([signature, ...parts]));
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
