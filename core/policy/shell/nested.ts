/** What a command runs in turn. */
export type Nested =
  | {
      readonly type: "argv";
      readonly argv: readonly string[];
      readonly assignments?: readonly (readonly [string, string])[];
      readonly cwd?: string;
    }
  /** `own`: in the same shell, so that what it sets stays. */
  | {
      readonly type: "script";
      readonly text: string;
      readonly positional?: readonly string[];
      /** `$0`. */
      readonly zero?: string;
      readonly own?: boolean;
    }
  /** May be a command or only look like one: what it must not do counts, what it might do does not. */
  | { readonly type: "guess"; readonly text: string };

export const script = (text: string): Nested => ({ type: "script", text });
export const guess = (text: string): Nested => ({ type: "guess", text });

/** Words as text that a shell reads as these words again. */
export const quoteWords = (words: readonly string[]): string =>
  words
    .map((word) => (/^[\w@%+=:,./*?~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(" ");
