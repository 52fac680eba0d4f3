import { type MaskRule, maskSpans, type Span } from "./mask.ts";
import { isRandom, isStandIn, isWords } from "./stand-in.ts";

/** Masks credentials in HTTP headers, as they stand in a dump, in JSON, in code or on a command line. */
export const secretHeaders: MaskRule = (text, mask) => {
  const authorized = maskSpans(text, AUTHORIZATION, authorization, mask);
  const schemes = maskSpans(authorized, SCHEME, schemeCredential, mask);
  const named = maskSpans(schemes, COOKIE, cookies(schemes), mask);
  return maskSpans(
    named,
    COOKIE_VALUE,
    (match) => (isStandIn(match[1] ?? "") ? [] : last(match, match[1] ?? "")),
    mask,
  );
};

const QUOTE = String.raw`\\{0,7}["'\x60]`;
const CREDENTIAL = "[A-Za-z0-9._~+/=:*$-]";

const AUTHORIZATION = new RegExp(
  `authorization(?:${QUOTE})?[ \\t]{0,8}[:=][ \\t]{0,8}(?:${QUOTE})?` +
    `((?:bearer|basic|token|digest|negotiate|api-?key|[a-z][a-z-]{1,15})[ \\t]{1,4})?(${CREDENTIAL}+)`,
  "gi",
);

function authorization(match: RegExpExecArray): readonly Span[] {
  const [, scheme = "", credential = ""] = match;
  const known = /^(?:bearer|basic|token|api-?key|negotiate)/i.test(scheme);
  if (isStandIn(credential) || (isWords(credential) && !/[a-z][A-Z]/.test(credential))) return [];
  if (!(known ? credential.length >= 4 : isLikely(credential) && !isCode(match, credential))) return [];
  return last(match, credential);
}

const SCHEME = new RegExp(`(bearer|basic)(?:[ \\t]{1,4}|%20|\\+)(${CREDENTIAL}{8,})`, "gi");

function schemeCredential(match: RegExpExecArray): readonly Span[] {
  const [, scheme = "", credential = ""] = match;
  if (isStandIn(credential) || isWords(credential) || !isLikely(credential)) return [];
  const base64 = /^[A-Za-z0-9+/]+={0,2}$/.test(credential) && credential.length % 4 === 0;
  return /^basic$/i.test(scheme) && !base64 ? [] : last(match, credential);
}

/** `req.headers.authorization`, `base64.decode(…)`. */
const isCode = (match: RegExpExecArray, credential: string) =>
  /^[a-z_]\w*(?:\.[a-z_]\w*)+$/i.test(credential) &&
  (!isRandom(credential) ||
    !/\d/.test(credential) ||
    match.input.charAt(match.index + match[0].length) === "(");

const isLikely = (credential: string) =>
  isRandom(credential) ||
  credential.length >= 24 ||
  (credential.length >= 8 && /\d/.test(credential) && /[A-Za-z]/.test(credential));

const last = (match: RegExpExecArray, part: string): readonly Span[] => {
  const to = match.index + match[0].length;
  return [{ from: to - part.length, to }];
};

const COOKIE = new RegExp(
  `(set-)?cookie2?(?:(?:${QUOTE})?[ \\t]{0,8}[:=][ \\t]{0,8}|${QUOTE}[ \\t]{0,8},[ \\t]{0,8}|[ \\t]{1,8}(?=${QUOTE}))\\[?(?:${QUOTE})?`,
  "gi",
);
const PAIR = /[ \t]{0,8}[\w!#$%&*+.^|~-]{1,128}=([^;\s"'`\\,]*);?/y;

/** How many cookies too short to mask are read: the search comes back to them. */
const MOST_WITHOUT = 64;

/** Every value of a request's cookies; of a response's the first, for what follows are attributes. */
const cookies =
  (text: string) =>
  (match: RegExpExecArray): readonly Span[] => {
    const spans: Span[] = [];
    PAIR.lastIndex = match.index + match[0].length;
    for (
      let found = PAIR.exec(text), left = MOST_WITHOUT;
      found !== null;
      found = PAIR.exec(text), left -= 1
    ) {
      const value = found[1] ?? "";
      const from = found.index + found[0].indexOf("=") + 1;
      if (value.length >= 3 && !isStandIn(value)) spans.push({ from, to: from + value.length });
      if (match[1] !== undefined || !found[0].endsWith(";")) break;
      if (left === 0 && spans.length === 0) break;
    }
    return spans;
  };

/** A cookie betrayed by the attribute behind it, as the later ones of a list are. */
const COOKIE_VALUE =
  /=(?<!(?:path|domain|expires|max-age|samesite)=)([^;=\s"'`\\,]{3,4096}={0,2})(?=;[ \t]?(?:path=|domain=|expires=|max-age=|samesite=|httponly|secure\b))/gi;
