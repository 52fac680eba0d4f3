import { knownSecrets } from "./known-secrets.ts";
import { assignedSecrets } from "./secret-assignments.ts";
import { secretHeaders } from "./secret-headers.ts";
import { secretShapes } from "./secret-shapes.ts";
import { isPlace } from "./stand-in.ts";

/** Replaces every known secret, and whatever looks like one, in a text that leaves the process. */
export type Redact = (text: string) => string;

/** What stands in the text instead of a secret. A mask of one's own must contain "***" or be `<like-this>`. */
export type Mask = (secret: string) => string;

const STARS: Mask = () => "***";

/** Redacting twice changes nothing, and JSON stays JSON. */
export function redactor(
  secrets: readonly string[],
  { mask = STARS }: { readonly mask?: Mask } = {},
): Redact {
  const rules = [knownSecrets(secrets), secretShapes, secretHeaders, assignedSecrets];
  return (text) => rules.reduce((masked, rule) => rule(masked, mask), text);
}

const SECRET_NAME = /KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL/i;
const OTHER_NAME = /KEYBOARD|KEYMAP|KEYRING|KEYCHAIN|MONKEY|(?:FILE|PATH|DIR|HELPER|PUBLIC_?KEY)$/i;
const ADDRESS_NAME = /(?:URL|URI|ENDPOINT|HOST|ISSUER|SERVER)$/i;
const SHORTEST_VALUE = 8;

/** Values of the environment variables whose names look secret, without those that are plainly no secret. */
export function secretValues(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const values = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && SECRET_NAME.test(name) && isSecretValue(name, value.trim()) ? [value.trim()] : [],
  );
  return [...new Set(values)];
}

function isSecretValue(name: string, value: string): boolean {
  if (value.length < SHORTEST_VALUE || OTHER_NAME.test(name)) return false;
  if (/^[\d\s.,:+-]*$/.test(value) || /^(?:true|false|enabled|disabled|required|optional)$/i.test(value))
    return false;
  return !isPlace(value) && !(ADDRESS_NAME.test(name) && /^[a-z][a-z\d+.-]*:\/\//i.test(value));
}

/** Only secrets that are known by value: for what must otherwise stay as it is. */
export function redactKnown(secrets: readonly string[]): Redact {
  const rule = knownSecrets(secrets);
  return (text) => rule(text, STARS);
}
