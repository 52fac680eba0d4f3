import { type MaskRule, maskSpans, type Span } from "./mask.ts";
import { isRandom, isStandIn } from "./stand-in.ts";

/** Masks what is a secret by its own looks, wherever it stands: tokens of well-known services, JWTs, private keys. */
export const secretShapes: MaskRule = (text, mask) =>
  [prefixedTokens, fixedShapes, privateKeys].reduce((masked, rule) => rule(masked, mask), text);

/**
 * Where a token may begin: not inside a word. The letters of an escape (`\n`, `\u001b`, `%20`) and of a colour
 * (`[31m`) belong to no word.
 */
const AFTER_ESCAPE = String.raw`\\[nrtbf]|\\u[0-9a-fA-F]{4}|%[0-9a-fA-F]{2}|\[[0-9;]{0,12}m`;
const BEGIN = `(?:^|[^A-Za-z0-9]|${AFTER_ESCAPE})`;

/**
 * How a token begins, and the unbroken run of letters and digits that must follow. Where words may follow the same
 * prefix, as in `sk-learn-course-2024`, the last number says from which length a mixture is no longer words.
 */
const PREFIXES: readonly (readonly [prefix: string, run: number, mixture: number])[] = [
  ["sk-", 16, 40],
  ["gh[pousr]_", 16, 20],
  ["github_pat_", 16, 20],
  ["gl(?:pat|dt|rt|ptt|soat|cbt|agent|imt|ft|oas|ffct)-", 16, 16],
  ["xox[a-z](?:\\.xox[a-z])?-", 3, 16],
  ["xapp-", 10, 16],
  ["AIza", 16, 24],
  ["GOCSPX-", 16, 20],
  ["ya29\\.", 16, 20],
  ["npm_", 30, 64],
  ["pypi-", 16, 64],
  ["hf_", 20, 64],
  ["[sr]k_(?:live|test|prod)_", 10, 16],
  ["whsec_", 20, 32],
  ["hv[sbr]\\.", 16, 20],
  ["do[opr]_v1_", 32, 64],
  ["shp(?:at|ca|pa|ss)_", 32, 64],
  ["dapi", 32, 64],
  ["(?:dckr_pat|figd|glsa|lin_api|ntn|pscale_tkn|sbp|sntry[su])_", 16, 24],
  ["(?:gsk|r8|rubygems)_", 20, 40],
  ["(?:xai|pplx|csk|nvapi|pul|tskey-(?:auth|api))-", 20, 40],
  ["ATATT3", 20, 40],
  ["AGE-SECRET-KEY-1", 30, 64],
  ["key-", 32, 64],
];

const prefixedTokens: MaskRule = (text, mask) =>
  text.replace(PREFIXED, (token: string, prefix: string, tail: string) =>
    isToken(prefix, tail) ? mask(token) : token,
  );

const ANY_PREFIX = PREFIXES.map(([prefix]) => prefix).join("|");
const PREFIXED = new RegExp(`(${ANY_PREFIX})(?<=${BEGIN}(?:${ANY_PREFIX}))([A-Za-z0-9_-]+=*)`, "g");
const MEASURES = PREFIXES.map(([prefix, run, mixture]) => ({
  shape: new RegExp(`^(?:${prefix})$`),
  run,
  mixture,
}));

function isToken(prefix: string, tail: string): boolean {
  const measure = MEASURES.find(({ shape }) => shape.test(prefix));
  if (measure === undefined || isStandIn(tail)) return false;
  if (tail.length >= measure.mixture && isRandom(tail) && /\d/.test(tail)) return true;
  const runs = tail.split(/[^A-Za-z0-9]+/).filter((run) => run.length >= measure.run && !isStandIn(run));
  return runs.some((run) => run.length >= 20 || /[A-Z\d]/.test(run));
}

const fixedShapes: MaskRule = (text, mask) =>
  FIXED.reduce((masked, shape) => masked.replace(shape, (token) => mask(token)), text);

/** A JWT must not begin behind a character it may contain, or a long run would be read once for each `eyJ` in it. */
const FIXED = [
  /(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?<=(?:^|[^A-Z0-9]).{20})(?![A-Za-z0-9])/g,
  /(?:SK|AC)[0-9a-f]{32}(?<=(?:^|[^A-Z0-9]).{34})(?![A-Za-z0-9])/g,
  /SG\.[\w-]{16,64}\.[\w-]{16,128}/g,
  new RegExp(String.raw`eyJ(?<=(?:^|[^\w-]|${AFTER_ESCAPE})eyJ)[\w-]{6,}\.[\w-]{6,}(?:\.[\w-]*){1,3}`, "g"),
  /Q~(?<=[\w~.-]{3}\dQ~)[\w~.-]{31,34}/g,
  /:AA(?<=(?:^|\D)\d{8,10}:AA)[\w-]{33}(?![\w-])/g,
  /(?<=hooks\.slack\.com\/(?:services|workflows|triggers)\/)[A-Za-z0-9/]{16,}/g,
];

const privateKeys: MaskRule = (text, mask) =>
  text.includes("PRIVATE KEY") ? maskSpans(text, KEY_HEAD, keyBody(text), mask) : text;

const KEY_HEAD = /-----BEGIN [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?-----/g;
const LONGEST_KEY = 32_768;
const KEY_LINES = /^(?:[A-Za-z0-9+/=:,.()\s]|-(?!----)|\\{1,8}[nrt/])*$/;
const KEY_LINE = /(?<=\s|["'`]|\\[nrt])[A-Za-z0-9+/]{16,}={0,2}/g;

/** The whole body up to the end line; where quotes or anything else stand between, each line of the key. */
const keyBody =
  (text: string) =>
  (head: RegExpExecArray): readonly Span[] => {
    const from = head.index + head[0].length;
    const near = text.slice(from, from + LONGEST_KEY);
    const end = near.indexOf("-----");
    const body = end < 0 ? near : near.slice(0, end);
    if (near.startsWith("-----END", end) && KEY_LINES.test(body))
      return isStandIn(body.replace(/\s|\\+[nr]/g, "")) ? [] : [{ from, to: from + end }];
    return [...body.matchAll(KEY_LINE)].map((line) => ({
      from: from + line.index,
      to: from + line.index + line[0].length,
    }));
  };
