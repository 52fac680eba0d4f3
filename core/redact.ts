import { secretArguments } from "./secrets/arguments.ts";
import { assignedSecrets } from "./secrets/assignments.ts";
import { secretHeaders } from "./secrets/headers.ts";
import { knownSecrets } from "./secrets/known.ts";
import type { Mask } from "./secrets/mask.ts";
import { secretShapes } from "./secrets/shapes.ts";
import { isPlace } from "./secrets/stand-in.ts";
import { secretUrls } from "./secrets/urls.ts";

/** Replaces every known secret, and whatever looks like one, in a text that leaves the process. */
export type Redact = (text: string) => string;

const STARS: Mask = () => "***";

const MOST_LOOKS = 8;

/**
 * Redacting twice changes nothing, and JSON stays JSON. A mask of one's own must be recognisable as one: contain `***`
 * or be written `<so>`.
 */
export function redactor(
  secrets: readonly string[],
  { mask = STARS }: { readonly mask?: Mask } = {},
): Redact {
  const known = knownSecrets(secrets);
  const rules = [known, secretShapes, secretUrls, secretHeaders, secretArguments, assignedSecrets];
  const look: Redact = (text) => rules.reduce((masked, rule) => rule(masked, mask), text);
  return (text) => settled(look, text, MOST_LOOKS);
}

/** A mask can show the next secret that it touches for what it is, so what has changed is looked at again. */
function settled(look: Redact, text: string, looks: number): string {
  const masked = look(text);
  return masked === text || looks === 1 ? masked : settled(look, masked, looks - 1);
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
