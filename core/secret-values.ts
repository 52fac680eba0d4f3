import { isPlace } from "./secrets/stand-in.ts";

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
