import { kindOfName, type SecretKind } from "./names.ts";
import { isRandom, isSentence, isStandIn, isWords } from "./stand-in.ts";

/** Whether a quoted value of a name of this kind is a secret. */
export function isQuotedSecret(kind: SecretKind, name: string, value: string): boolean {
  if (isStandIn(value.trim())) return false;
  switch (kind) {
    case "password":
      return value.length >= 3 && !isSentence(value);
    case "token":
      return value.length >= 8 && !/\s/.test(value) && (isVariable(name) || !isWords(value));
    case "key":
      return isRandom(value);
  }
}

const isVariable = (name: string) => /^[A-Z\d_]+$/.test(name);

/** `--token option` is prose; `--password hunter --user me` is not. */
export function isFlagSecret(kind: SecretKind, value: string, behind: string): boolean {
  if (isStandIn(value) || /^-|^(?:id|src|source|type)=/.test(value)) return false;
  if (kind !== "password") return value.length >= 8 && !isWords(value);
  const prose =
    isWords(value) && (isFollowedByWords(behind) || /^(?:flag|option|argument|prompt|stdin)s?$/.test(value));
  return value.length >= 3 && !prose;
}

/** A mask counts as a word, or a second look would see something else. */
const isFollowedByWords = (behind: string) => /^[ \t]+[A-Za-z*<]/.test(behind);

/**
 * An unquoted value and where it stands. `variable`: `NAME=value`, or a URL's parameter. `tight`: `name=value`.
 * `spaced`: `name = value`, an INI file's line or an expression. `colon`: `name: value`, YAML, a header or a type.
 */
export type Bare = {
  readonly kind: SecretKind;
  readonly name: string;
  readonly value: string;
  readonly context: "variable" | "tight" | "spaced" | "colon" | "block";
  /** The next few characters. */
  readonly behind: string;
};

export function isBareSecret(bare: Bare): boolean {
  const { kind, value, context, behind } = bare;
  if (isStandIn(value) || /^[([{]/.test(value) || isCall(value, behind)) return false;
  if (kind === "key") return isRandom(value);
  if (context === "block") return value.length >= 4;
  if (context === "variable") return value.length >= 3 && !isPathToSecret(value);
  return isIdentifier(value) ? isIdentifierSecret(bare) : isSymbolsSecret(bare);
}

const isIdentifier = (value: string) => /^[A-Za-z_$][\w$]*(?:(?:\??\.|::)[A-Za-z_$][\w$]*)*$/.test(value);

const isCall = (value: string, behind: string) =>
  /^[A-Za-z_$][\w$.]*[([<{|?]/.test(value) || (isIdentifier(value) && /^[([<{]/.test(behind));

/** `process.env.API_KEY`, `config.token`. */
const isPathToSecret = (value: string) =>
  isIdentifier(value) &&
  value
    .split(".")
    .some(
      (part, i, parts) => parts.length > 1 && (part === "env" || (i > 0 && kindOfName(part) !== undefined)),
    );

function isIdentifierSecret({ kind, value, context, behind }: Bare): boolean {
  if (value.includes("."))
    return value.split(".").some((part) => part.length >= 24 && isRandom(part) && /\d/.test(part));
  if (isStandIn(value.replace(/\d+$/, ""))) return false;
  if (/\d/.test(value)) return value.length >= (kind === "password" ? 4 : 8);
  if (value.length >= 20 && !isWords(value)) return true;
  if (kind === "token") return false;
  if (value.length < 4 || context === "spaced" || /^[ \t]*[,)|}=]/.test(behind)) return false;
  if (context === "tight") return true;
  return !isFollowedByWords(behind) && !behind.startsWith(";") && !/[a-z][A-Z]/.test(value);
}

function isSymbolsSecret({ kind, name, value, context, behind }: Bare): boolean {
  if (/^[&*?!]+[A-Za-z_$.]+$/.test(value)) return false;
  if (kind === "token") return value.length >= 8 && !isWords(value);
  if (isWords(value) && (isFollowedByWords(behind) || /secret$/i.test(name))) return false;
  if (context === "spaced") return value.length >= (/\d/.test(value) ? 6 : 12);
  return value.length >= 4;
}
