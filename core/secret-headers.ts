import { type MaskRule, maskSpans, type Span } from "./mask.ts";
import { isRandom, isStandIn, isWords } from "./stand-in.ts";

/** Masks credentials in HTTP headers, as they stand in a dump, in JSON, in code or on a command line. */
export const secretHeaders: MaskRule = (text, mask) => {
  const authorized = maskSpans(text, AUTHORIZATION, authorization, mask);
  const schemes = maskSpans(authorized, SCHEME, schemeCredential, mask);
  return maskSpans(schemes, COOKIE, cookies(schemes), mask);
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
  if (isStandIn(credential) || isWords(credential)) return [];
  if (!(known ? credential.length >= 4 : isLikely(credential))) return [];
  return last(match, credential);
}

const SCHEME = new RegExp(`\\b(bearer|basic)(?:[ \\t]{1,4}|%20|\\+)(${CREDENTIAL}{8,})`, "gi");

function schemeCredential(match: RegExpExecArray): readonly Span[] {
  const [, scheme = "", credential = ""] = match;
  if (isStandIn(credential) || isWords(credential) || !isLikely(credential)) return [];
  const base64 = /^[A-Za-z0-9+/]+={0,2}$/.test(credential) && credential.length % 4 === 0;
  return /^basic$/i.test(scheme) && !base64 ? [] : last(match, credential);
}

/** Not code such as `req.headers.authorization`. */
const isLikely = (credential: string) =>
  isRandom(credential) ||
  credential.length >= 24 ||
  (credential.length >= 8 && /\d/.test(credential) && /[A-Za-z]/.test(credential));

const last = (match: RegExpExecArray, part: string): readonly Span[] => {
  const to = match.index + match[0].length;
  return [{ from: to - part.length, to }];
};

const COOKIE = new RegExp(
  `\\b(set-)?cookie2?(?:${QUOTE})?(?:[ \\t]{0,8}[:=,][ \\t]{0,8}|[ \\t]{1,8}(?=${QUOTE}))\\[?(?:${QUOTE})?`,
  "gi",
);
const PAIR = /[ \t]{0,8}[\w!#$%&*+.^|~-]{1,128}=([^;\s"'`\\,]*);?/y;

/** Every value of a request's cookies; of a response's the first, for what follows are attributes. */
const cookies =
  (text: string) =>
  (match: RegExpExecArray): readonly Span[] => {
    const spans: Span[] = [];
    const pair = new RegExp(PAIR);
    pair.lastIndex = match.index + match[0].length;
    for (let found = pair.exec(text); found !== null; found = pair.exec(text)) {
      const value = found[1] ?? "";
      const from = found.index + found[0].indexOf("=") + 1;
      if (value.length >= 3 && !isStandIn(value)) spans.push({ from, to: from + value.length });
      if (match[1] !== undefined || !found[0].endsWith(";")) break;
    }
    return spans;
  };
