const STAND_IN = [
  /\*\*\*|\.\.\.|…|•{3}/,
  /^(?:(.)\1*|[xX*._\s-]+)$/,
  /^\$\{|\$\{[^}]{0,200}\}|\$\(|\{\{|#\{|<%|\{\d*\}/,
  /^\$[\w:]*-?$|^%\w+%$|^(?:%[sdvq@][:@/ -]?)+$|^:[a-z_]/i,
  /^<.*>$|^\[.*\]$|^\{.*\}$/,
  /^!(?:vault|ref|secret|env|sub|getatt|reference)\b/i,
  /^(?:your|insert|enter|replace|change)(?:[-_ ][a-z_\- ]*|me|this|it|key|token|password|secret)?$/i,
  /^[a-z_\- ]*(?:[-_ ]here|placeholder|redacted|hidden|masked|example)$/i,
  /^[a-z][a-z\d+.-]*:\/\//i,
  /^[~^<>=]*v?\d+(?:\.\d+)+(?:[-+][\w.]*)?$/,
  /^(?:u?int|bytes|float|[iuf])\d+$/,
  /^(?:arn|env|vault|file|keyring|keychain|secretref|sha\d+|data):/i,
];

const LITERALS =
  "true false yes no on off null none nil undefined void todo tbd n/a unset empty missing required optional " +
  "string str number boolean bool int integer float bytes byte char any unknown object never buffer " +
  "uint8array secretstr read write admin text varchar vec option self this await async new function typeof default";
const LABELS =
  "password passwd passphrase pass pwd secret secrets token tokens key keys apikey api_key api-key auth " +
  "credential credentials bearer basic authorization access_token accesstoken authtoken client_secret";
const LONGEST_WORD = 32;
const WORDS = new Set(`${LITERALS} ${LABELS}`.split(" "));

/** Whether a value only stands for a secret: a mask, a reference, a template, a type, a label, a place. */
export const isStandIn = (value: string): boolean =>
  value === "" ||
  WORDS.has(
    value
      .slice(0, LONGEST_WORD)
      .toLowerCase()
      .replace(/[.!?:]+$/, ""),
  ) ||
  STAND_IN.some((shape) => shape.test(value)) ||
  isPlace(value);

/** Whether a value is a path. A secret key may begin with a slash too, so no part of a path is random. */
export const isPlace = (value: string): boolean =>
  /^(?:(?:~|\.{1,2})?\/|[A-Za-z]:\\|\\\\)/.test(value) && !value.split(/[\\/]/).some(isRandom);

/** Mixed enough to be nothing a person would write: at least 16 characters of two kinds. */
export function isRandom(value: string): boolean {
  if (value.length < 16 || /\s/.test(value)) return false;
  const cases = /[a-z]/.test(value) && /[A-Z]/.test(value);
  return /\d/.test(value) ? /[A-Za-z]/.test(value) : cases;
}

/** Words as in prose and code, joined by case or punctuation: `identifier`, `my-service-token`, `END_OF_FILE`. */
export const isWords = (value: string): boolean =>
  value.length < LONGEST_WORD &&
  value
    .replace(/^_+|[.!?:]+$/g, "")
    .split(/[-_. ]|(?<=[a-z])(?=[A-Z])/)
    .every((word) => /^(?:[A-Z]?[a-z]{1,14}|[A-Z]{1,11})$/.test(word));

/** A sentence or a label rather than a passphrase. */
export const isSentence = (value: string): boolean =>
  /\s/.test(value) &&
  (/^[A-Z][a-z]*(?:['’][a-z]*)?\s/.test(value) ||
    /[.?!:]$/.test(value) ||
    /\b(?:the|your|an?|is|must|password|token|key|secret)\b/i.test(value));
