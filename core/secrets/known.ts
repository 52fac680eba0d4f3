import type { MaskRule } from "./mask.ts";

const SHORTEST = 6;
const SHORTEST_BASE64 = 8;

/** A text with none of the probes cannot match, which is far cheaper to find out. */
type Known = { readonly probes: readonly string[]; readonly pattern: () => RegExp };

/** Masks given secrets wherever they stand: plain, JSON-escaped up to three deep, URL-encoded, base64-encoded. */
export function knownSecrets(secrets: readonly string[]): MaskRule {
  const known = [...new Set(secrets.map(bare))]
    .filter((secret) => secret.length >= SHORTEST && !secret.includes("***"))
    .sort((a, b) => b.length - a.length)
    .flatMap((secret) => [plainOrEscaped(secret), ...base64Cores(secret).map(base64)]);
  return (text, mask) =>
    known.reduce((masked, { probes, pattern }) => {
      if (!probes.some((probe) => masked.includes(probe))) return masked;
      return masked.replace(pattern(), (found) => mask(found));
    }, text);
}

/** Quotes and backslashes at the ends belong to how the secret was written, and may close a JSON string. */
const bare = (secret: string) => secret.replace(/^[\s"'`\\]+|[\s"'`\\]+$/g, "");

function plainOrEscaped(secret: string): Known {
  const units = secret.match(/\\+|[^\\]/gu) ?? [];
  const probes = [longest(secret.match(/[A-Za-z0-9._~-]+/g) ?? [])];
  return { probes, pattern: () => new RegExp(units.map(spellings).join(""), "g") };
}

const longest = (runs: readonly string[]) =>
  runs.reduce((best, run) => (run.length > best.length ? run : best), "");

/** All ways one character of a secret may be written; a run of backslashes counts as one. */
function spellings(unit: string): string {
  if (/^[A-Za-z0-9_~]$/.test(unit)) return unit;
  if (unit.startsWith("\\"))
    return `(?:\\\\{${unit.length},${unit.length * 8}}|(?:%(?:25)?5[cC]){${unit.length}})`;
  const ways = [literal(unit), percent(unit), `\\\\{1,8}${unicode(unit)}`];
  if (/["'/]/.test(unit)) ways.push(`\\\\{1,7}${unit}`);
  return `(?:${[...ways, ...(OTHER_SPELLINGS[unit] ?? [])].join("|")})`;
}

const OTHER_SPELLINGS: Readonly<Record<string, readonly string[]>> = {
  "\n": ["\\\\{1,8}n"],
  "\r": ["\\\\{1,8}r"],
  "\t": ["\\\\{1,8}t"],
  " ": ["\\+"],
  "&": ["&amp;"],
  "<": ["&lt;"],
  ">": ["&gt;"],
  '"': ["&quot;"],
  "'": ["&#39;", "'\\\\{1,8}''"],
};

const literal = (unit: string) => unit.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

const unicode = (unit: string) =>
  Array.from({ length: unit.length }, (_, i) => `u${eitherCase(hex(unit.charCodeAt(i), 4))}`).join(
    "\\\\{1,8}",
  );

/** Also when the percent sign was encoded once more. */
const percent = (unit: string) =>
  utf8(unit)
    .map((byte) => `%(?:25)?${eitherCase(hex(byte, 2))}`)
    .join("");

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, "0");

const eitherCase = (digits: string) =>
  digits.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);

/** `base64` breaks its lines, so a break is allowed anywhere; it seldom spoils both probes. */
function base64(core: string): Known {
  const middle = core.length / 2;
  const probes = [core.slice(0, middle), core.slice(middle)].map((half) =>
    longest(half.split(/[+/]/)).slice(0, 16),
  );
  const chars = () => [...core].map((char) => OTHER_BASE64[char] ?? char);
  return { probes, pattern: () => new RegExp(chars().join("(?:\\s|\\\\{1,4}[nr]){0,2}"), "g") };
}

const OTHER_BASE64: Readonly<Record<string, string>> = {
  "+": "(?:[+-]|%2[bB])",
  "/": "(?:[/_]|\\\\{1,4}/|%2[fF])",
};

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The characters that a secret alone decides, for each of the three places it can have in encoded bytes. */
function base64Cores(secret: string): readonly string[] {
  const bytes = utf8(secret);
  const cores = [sextets(bytes), sextets([0, ...bytes]).slice(2), sextets([0, 0, ...bytes]).slice(3)];
  return cores.filter((core) => core.length >= SHORTEST_BASE64);
}

/** Base64 without what is left over at the end. */
function sextets(bytes: readonly number[]): string {
  let chars = "";
  let pending = 0;
  let bits = 0;
  for (const byte of bytes) {
    pending = ((pending << 8) | byte) & 0xffff;
    for (bits += 8; bits >= 6; bits -= 6) chars += ALPHABET.charAt((pending >> (bits - 6)) & 63);
  }
  return chars;
}

function utf8(text: string): readonly number[] {
  const encoded = encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\ufffd"));
  return [...encoded.matchAll(/%([0-9A-F]{2})|./g)].map(([char, code]) =>
    code === undefined ? char.charCodeAt(0) : Number.parseInt(code, 16),
  );
}
