/**
 * How much a name promises. `password`: whatever it is set to is a secret. `token`: it is unless it is made of words,
 * for lexers and pages have tokens too. `key`: only what looks random is.
 */
export type SecretKind = "password" | "token" | "key";

const PASSWORD = /(?:password|passwd|passphrase|passcode|pwd|secret)$/;
const PASS = /[_.-](?:pass|PASS)$|[a-z]Pass$/;
const STRONG_TOKEN =
  /(?:access|auth|refresh|bearer|session|id|api|oauth|personal|security|deploy|bot|private|registration|vault|service)token$/;
const STRONG_KEY =
  /(?:api|access|secret|private|auth|account|signing|encryption|decryption|master|sharedaccess|subscription)key(?:id|base|data)?$/;
const LIKELY_KEY =
  /(?:sign|encrypt|session|shared|service|license|deploy|jwt|hmac|storage|client|server|admin|app|application)key(?:data)?$/;
const NO_SECRET_TOKEN =
  /(?:next|page|continuation|cancell?ation|cancel|stop|eos|bos|pad|unk|sep|cls|mask|special|current|prev|previous|first|last|begin|end|start|sync|max|min|num|per)token$/;
const NO_SECRET_KEY =
  /(?:public|primary|foreign|sort|partition|cache|row|unique|host|object|idempotency)_?key$/;

/** What the name of a variable, field, header or flag says about its value. */
export function kindOfName(name: string): SecretKind | undefined {
  const flat = name
    .toLowerCase()
    .replace(/[^a-z\d]/g, "")
    .replace(QUALIFIER, "");
  if (PASSWORD.test(flat) || PASS.test(name) || STRONG_TOKEN.test(flat) || STRONG_KEY.test(flat))
    return "password";
  if (/token$/.test(flat)) return NO_SECRET_TOKEN.test(flat) ? undefined : "token";
  if (/credentials?$|^pass$/.test(flat) || /^[-_]*auth$/i.test(name) || LIKELY_KEY.test(flat)) return "token";
  const variable = /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)*_KEY$/.test(name);
  return variable && !NO_SECRET_KEY.test(name.toLowerCase()) ? "key" : undefined;
}

/** What may follow the name proper: `DB_PASSWORD_2`, `API_KEY_PROD`. */
export const QUALIFIERS =
  "\\d{1,3}|value|text|raw|base64|b64|hash|prod|production|dev|test|staging|live|old|new|primary|secondary|default";
const QUALIFIER = new RegExp(`(?:${QUALIFIERS})$`);
