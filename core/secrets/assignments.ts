import { closingQuote } from "./closing-quote.ts";
import { type MaskRule, maskSpans, type Span } from "./mask.ts";
import { kindOfName, QUALIFIERS, type SecretKind } from "./names.ts";
import { type Bare, isBareSecret, isFlagSecret, isQuotedSecret } from "./value.ts";

/** Masks values by the names they are given: in env, INI, YAML, TOML, JSON, XML, code, headers and on command lines. */
export const assignedSecrets: MaskRule = (text, mask) =>
  maskSpans(text, ASSIGNMENT, (match) => assigned(text, match), mask);

const QUOTE = String.raw`\\{0,7}["'\x60]`;
const NAME_END = `(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|key|credentials?|auth)(?:[_-]?(?:id|base|data|${QUALIFIERS}))?`;
const TYPED = String.raw`\??[ \t]{0,8}:[ \t]{0,8}[A-Za-z][\w.]{0,31}(?:\[\])?(?:[ \t]?\|[ \t]?\w{1,20}){0,2}[ \t]{1,8}=[ \t]{1,8}`;
const SIGN = String.raw`[ \t]{0,32}(?:=>|:=|[=!]={1,2}|=|\??:(?!:))[ \t]{0,32}`;
const ASSIGNMENT = new RegExp(
  `(${NAME_END})(${QUOTE})?(\\])?(${TYPED}|${SIGN}|%3D|>|[ \\t]{1,8}|[ \\t]{0,4},[ \\t]{0,4})`,
  "gi",
);

type Place = {
  readonly kind: SecretKind;
  readonly name: string;
  /** Where the name begins. */
  readonly start: number;
  /** The quote that closes the name, if any. */
  readonly closed: string | undefined;
  readonly sign: string;
  /** Where the value, with its quote, begins. */
  readonly at: number;
};

function assigned(text: string, match: RegExpExecArray): readonly Span[] {
  const [all, nameEnd = "", closed, bracket, sign = ""] = match;
  if (bracket !== undefined && (closed === undefined || !sign.includes("="))) return [];
  const start = nameStart(text, match.index);
  const name = text.slice(start, match.index + nameEnd.length);
  const kind = kindAt(text, start, name, closed);
  if (kind === undefined) return [];
  return assignedValue(text, { kind, name, start, closed, sign, at: match.index + all.length });
}

/** `"pass"` as a key is one; `API key: …` is a name of two words. */
function kindAt(
  text: string,
  start: number,
  name: string,
  closed: string | undefined,
): SecretKind | undefined {
  if (name === "pass" && text.charAt(start - 1) === closed?.at(-1)) return "password";
  const prefix = /^key$/i.test(name) ? text.slice(Math.max(0, start - 8), start) : "";
  return /(?:api|access|secret|private) $/i.test(prefix) ? "token" : kindOfName(name.replace(/^-+/, ""));
}

function assignedValue(text: string, place: Place): readonly Span[] {
  const { name, sign, at } = place;
  if (name.startsWith("-") && /^[ \t,]|^=$/.test(sign)) return flagValue(text, place);
  if (sign === ">") return elementValue(text, place);
  if (sign.trim() === ",") return [];
  if (sign.trim() === "") return looseValue(text, place);
  const quote = quoteAt(text, at);
  if (quote !== "") return quotedValue(text, place, quote);
  return /^[ \t]*(?:=>|[=!]=)/.test(sign) ? [] : bareValue(text, place);
}

const NAME_CHARS = /[A-Za-z0-9_.$-]*$/;

/** The letter of an escape in front (`\nPASSWORD`) is no part of the name. */
function nameStart(text: string, index: number): number {
  const before = text.slice(Math.max(0, index - 64), index);
  const chars = NAME_CHARS.exec(before)?.[0].length ?? 0;
  const start = index - chars;
  return chars > 0 && text[start - 1] === "\\" && /[nrtbf]/.test(text.charAt(start)) ? start + 1 : start;
}

const QUOTE_AT = new RegExp(QUOTE, "y");
const quoteAt = (text: string, at: number): string => take(QUOTE_AT, text, at);

function take(sticky: RegExp, text: string, at: number): string {
  sticky.lastIndex = at;
  return sticky.exec(text)?.[0] ?? "";
}

/** `"Enter password: "` ends with what looks like an opening quote: what comes behind it tells. */
const BEHIND_A_STRING = /[),;\]}:+\s]|\\+[nrt"']/y;
const isBehindString = (text: string, at: number) =>
  at >= text.length || take(BEHIND_A_STRING, text, at) !== "";

function quotedValue(text: string, { kind, name, closed, at }: Place, quote: string): readonly Span[] {
  const from = at + quote.length;
  if (closed !== quote && isBehindString(text, from)) return [];
  const to = closingQuote(text, from, quote);
  return isQuotedSecret(kind, name, text.slice(from, to)) ? [{ from, to }] : [];
}

/** `--password hunter2`, `--token=…`, and the same as two strings of a list. */
function flagValue(text: string, place: Place): readonly Span[] {
  const { kind, closed, sign, at } = place;
  const quote = quoteAt(text, at);
  if (sign.includes(",") ? closed === undefined || closed !== quote : closed !== undefined) return [];
  const from = at + quote.length;
  if (quote === "") {
    const value = take(BARE_BEGINNING, text, from).replace(/[\])},;]+$/, "");
    const behind = text.slice(from + value.length, from + value.length + 3);
    return isFlagSecret(kind, value, behind) ? [bareSpan(text, from, value)] : [];
  }
  if (closed === undefined && isBehindString(text, from)) return [];
  const to = closingQuote(text, from, quote);
  const isKey = /^\s*:/.test(text.slice(to + quote.length, to + quote.length + 8));
  return !isKey && isFlagSecret(kind, text.slice(from, to), "") ? [{ from, to }] : [];
}

function elementValue(text: string, { kind, name, start, closed, at }: Place): readonly Span[] {
  if (closed !== undefined || !/[<:]/.test(text.charAt(start - 1))) return [];
  const to = at + take(/[^<>"\\\n]{1,1024}(?=<\\?\/)/y, text, at).length;
  return isQuotedSecret(kind, name, text.slice(at, to)) ? [{ from: at, to }] : [];
}

/** Without a sign between: SQL's `PASSWORD '…'`, .netrc's `login me password …`, npm's `config set _authToken …`. */
function looseValue(text: string, place: Place): readonly Span[] {
  const { kind, name, start, closed, at } = place;
  if (kind !== "password" || closed !== undefined) return [];
  const quote = quoteAt(text, at);
  if (/^\\*'$/.test(quote)) return quotedValue(text, place, quote);
  const isNetrc = /login[ \t]+\S+\s+$/.test(text.slice(Math.max(0, start - 80), start));
  if (!isNetrc && name !== "_authToken") return [];
  const value = take(BARE_BEGINNING, text, at);
  return isQuotedSecret(kind, "", value) ? [bareSpan(text, at, value)] : [];
}

/** A bare value stops at quotes and at escapes: it may stand in a JSON string, which must stay one. */
const BARE = /(?:[^\s"'`\\]|\\+(?!["'/bfnrtu\\]))+/y;
const BARE_BEGINNING = /(?:[^\s"'`\\]|\\+(?!["'/bfnrtu\\])){1,256}/y;
const LONG = 256;

/** The beginning of a value is enough to judge it; masked is all of it. */
function bareSpan(text: string, from: number, value: string): Span {
  return { from, to: from + (value.length < LONG ? value.length : take(BARE, text, from).length) };
}

const BLOCK = /[|>][+-]?\d?[ \t]*(?:\r?\n|\\{1,4}n)[ \t]+/y;
const JSON_LITERAL = /(?:-?\d[\d.eE+-]*|true|false|null)(?=[\s,}\]\\]|$)|[{[]/y;

function bareValue(text: string, place: Place): readonly Span[] {
  const { kind, name, closed, at } = place;
  if (closed !== undefined && take(JSON_LITERAL, text, at) !== "") return jsonNumber(text, place, closed);
  const from = at + take(BLOCK, text, at).length;
  const context = from > at ? "block" : contextOf(text, place);
  const value = take(BARE_BEGINNING, text, from).replace(behindValue(text, place, context), "");
  const end = from + value.length;
  const bare: Bare = { kind, name, value, context, behind: text.slice(end, end + 3) };
  return isBareSecret(bare) ? [bareSpan(text, from, value)] : [];
}

/** A PIN; what stands for it must be a string to keep the JSON around it whole. */
function jsonNumber(text: string, { kind, name, at }: Place, quote: string): readonly Span[] {
  const digits = take(/\d{4,}(?![\d.eE])/y, text, at);
  const isPin = kind === "password" && name !== "pass" && digits !== "";
  return isPin ? [{ from: at, to: at + digits.length, quote }] : [];
}

const isTight = (sign: string) => sign === "=" || /^%3D$/i.test(sign);
const isUpper = (name: string) => !/[a-z]/.test(name);
const isParameter = (text: string, { sign, start }: Place) =>
  isTight(sign) && /[?&;#]/.test(text.charAt(start - 1));

function contextOf(text: string, place: Place): Bare["context"] {
  if (isParameter(text, place)) return "variable";
  if (isTight(place.sign)) return isUpper(place.name) ? "variable" : "tight";
  return /=|:$/.test(place.sign) ? "spaced" : "colon";
}

const LINE_BEGIN = /(?:^|[\r\n]|\\[nr])[ \t]*(?:-[ \t]+|export[ \t]+|set[ \t]+|ENV[ \t]+)?$/;

/** What ends the value: on a line of its own only what ends the line, within one whatever else goes on there. */
function behindValue(text: string, place: Place, context: Bare["context"]): RegExp {
  if (isParameter(text, place)) return /[,;&#<>].*$/s;
  const onOwnLine = LINE_BEGIN.test(text.slice(Math.max(0, place.start - 32), place.start));
  const wide = isUpper(place.name) ? context === "variable" : place.sign.includes(":");
  return onOwnLine && wide ? /[,;:)}\]]+$/ : /[,;&|<>(){}[\]].*$/s;
}
