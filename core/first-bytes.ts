/** How what is no text begins, for somebody who may know the kind. */
export const firstBytes = (bytes: Uint8Array): string =>
  [...bytes.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
