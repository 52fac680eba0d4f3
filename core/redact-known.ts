import type { Redact } from "./redact.ts";
import { knownSecrets } from "./secrets/known.ts";

/** Only secrets that are known by value: for what must otherwise stay as it is. */
export function redactKnown(secrets: readonly string[]): Redact {
  const rule = knownSecrets(secrets);
  return (text) => rule(text, () => "***");
}
