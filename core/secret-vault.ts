import type { Redact } from "./redact.ts";
import type { Mask } from "./secrets/mask.ts";

/** Takes secrets out of what leaves, and puts them back where they belong. */
export type Vault = {
  /** Each secret becomes a placeholder, the same one each time. */
  readonly hide: Redact;
  /** Only placeholders of this run; others stay as they are. */
  readonly restore: (text: string) => string;
};

/** `name` is what no text can know beforehand, so that nobody can write a placeholder that was never given. */
export function secretVault(name: string, redactWith: (mask: Mask) => Redact): Vault {
  const numbers = new Map<string, number>();
  const secrets: string[] = [];
  const mask: Mask = (secret) => {
    if (CONTROL.test(secret)) return "***";
    const number = numbers.get(secret) ?? secrets.push(secret);
    numbers.set(secret, number);
    return `<secret-${name}-${number}>`;
  };
  const placeholder = new RegExp(`<secret-${name}-(\\d{1,9})>`, "g");
  return {
    hide: redactWith(mask),
    restore: (text) => text.replace(placeholder, (found, number) => secrets[Number(number) - 1] ?? found),
  };
}

/** What may stand in no argument cannot be put back into one. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;
