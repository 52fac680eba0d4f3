import type { Mask } from "./redact.ts";

const SHORTEST = 6;
const SHORTEST_BASE64 = 8;
const PROBE = 12;

type Known = { readonly probes: readonly string[]; readonly pattern: RegExp };

/** Masks given secrets wherever they stand: plain, JSON-escaped up to three deep, URL-encoded, base64-encoded. */
export function knownSecrets(secrets: readonly string[]): (text: string, mask: Mask) => string {
  const known = [...new Set(secrets.map(bare))]
    .filter((secret) => secret.length >= SHORTEST && !secret.includes("***"))
    .sort((a, b) => b.length - a.length)
    .flatMap((secret) => [plainOrEscaped(secret), ...base64Cores(secret).map(base64)]);
  return (text, mask) =>
    known.reduce((masked, { probes, pattern }) => {
      if (!probes.some((probe) => masked.includes(probe))) return masked;
      return masked.replace(pattern, (found) => mask(found));
    }, text);
}

/** Quotes and backslashes at the ends belong to how the secret was written, and may close a JSON string. */
const bare = (secret: string) => secret.replace(/^[\s"'`\\]+|[\s"'`\\]+$/g, "");

function plainOrEscaped(secret: string): Known {
  const units = secret.match(/\\+|[^\\]/gu) ?? [];
  const plain = secret.match(/[A-Za-z0-9._~-]+/g) ?? [];
  const probe = plain.reduce((longest, run) => (run.length > longest.length ? run : longest), "");
  return { probes: [probe], pattern: new RegExp(units.map(spellings).join(""), "g") };
}

/** All ways one character of a secret may be written; a run of backslashes counts as one. */
function spellings(unit: string): string {
  if (/^[A-Za-z0-9_~]$/.test(unit)) return unit;
  if (unit.startsWith("\\")) return `(?:\\\\{${unit.length},${unit.length * 8}}|(?:%5[cC]){${unit.length}})`;
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

/** `base64` breaks its lines, so a break is allowed anywhere; it can spoil only one of the two probes. */
function base64(core: string): Known {
  const either = [...core].map((char) =>
    char === "+" ? "[+-]|%2[bB]" : char === "/" ? "[/_]|\\\\{1,4}/|%2[fF]" : char,
  );
  const chars = either.map((char) => (char.length > 1 ? `(?:${char})` : char));
  const runs = core.match(/[A-Za-z0-9]+/g) ?? [];
  const probes = [runs.at(0) ?? "", runs.at(-1) ?? ""].map((run, last) =>
    last ? run.slice(-PROBE) : run.slice(0, PROBE),
  );
  return { probes, pattern: new RegExp(chars.join("(?:\\s|\\\\{1,4}[nr]){0,2}"), "g") };
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The characters that a secret alone decides, for each of the three places it can have in encoded bytes. */
function base64Cores(secret: string): readonly string[] {
  const bytes = utf8(secret);
  return [0, 1, 2].flatMap((before) => {
    const bits = [...Array(before).fill(0), ...bytes]
      .map((byte) => byte.toString(2).padStart(8, "0"))
      .join("");
    const sextets = bits.match(/.{6}/g) ?? [];
    const core = sextets
      .map((sextet) => ALPHABET.charAt(Number.parseInt(sextet, 2)))
      .slice(Math.ceil((before * 8) / 6));
    return core.length < SHORTEST_BASE64 ? [] : [core.join("")];
  });
}

function utf8(text: string): readonly number[] {
  const encoded = encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\ufffd"));
  return [...encoded.matchAll(/%([0-9A-F]{2})|./g)].map(([char, code]) =>
    code === undefined ? char.charCodeAt(0) : Number.parseInt(code, 16),
  );
}
