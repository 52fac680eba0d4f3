import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** Proof that whoever redeems the code is whoever asked for it (RFC 7636). */
export type Pkce = { readonly verifier: string; readonly challenge: string };

export function newPkce(): Pkce {
  const verifier = randomBytes(48).toString("base64url");
  return { verifier, challenge: challengeOf(verifier) };
}

/** The S256 method. */
export const challengeOf = (verifier: string): string =>
  createHash("sha256").update(verifier).digest("base64url");

/** Ties an answer to the attempt that asked for it. */
export const newState = (): string => randomBytes(32).toString("base64url");

/** Takes as long for a near miss as for a far one. */
export const sameState = (expected: string, given: string): boolean =>
  timingSafeEqual(digest(expected), digest(given));

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
