import { countAt, type Fields, fieldsAt, isFields, textAt } from "../../core/lenient.ts";
import type { LoginProvider } from "./providers.ts";

/** What a token says about itself. Not verified: it came from the issuer itself, over TLS. No token: nothing. */
export function claimsOf(token: string | undefined): Fields {
  const payload = token?.split(".")[1] ?? "";
  try {
    const parsed: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
    return isFields(parsed) ? parsed : {};
  } catch {
    return {}; // an opaque token says nothing, which is its right
  }
}

export function accountOf(
  claims: Fields,
  { inside, name }: LoginProvider["accountClaim"],
): string | undefined {
  const nested = fieldsAt(claims, inside);
  const account = (nested && textAt(nested, name)) || textAt(claims, name);
  return /^[\x21-\x7e]{1,200}$/.test(account) ? account : undefined;
}

/** `exp`, which is in seconds. */
export function expiryOf(claims: Fields): number | undefined {
  const seconds = countAt(claims, "exp");
  return seconds === undefined ? undefined : seconds * 1000;
}
