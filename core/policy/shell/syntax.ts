// What a command line is made of, before anything in it is expanded.

export type Part =
  | { readonly type: "text"; readonly text: string; readonly quoted: boolean }
  | {
      readonly type: "variable";
      readonly name: string;
      /** What follows the name in braces: `:-`, `%`, `#`, …; empty when nothing does. */
      readonly operator: string;
      readonly argument: Word | undefined;
      readonly quoted: boolean;
    }
  | { readonly type: "substitution"; readonly script: Script; readonly quoted: boolean }
  /** `<(…)` and `>(…)`. */
  | { readonly type: "process"; readonly script: Script; readonly direction: "in" | "out" }
  /** `$((…))`: a number; `inner` holds the substitutions in it. */
  | { readonly type: "arithmetic"; readonly inner: Word };

export type Word = {
  readonly parts: readonly Part[];
  /** Has an unquoted `{`, so that it may be several words. */
  readonly braces: boolean;
};

export type Assignment = { readonly name: string; readonly append: boolean; readonly value: Word };

export type Redirect = {
  /** `<`, `>`, `>>`, `>|`, `<>`, `>&`, `<&`, `&>`, `&>>`, `<<`, `<<<`. */
  readonly operator: string;
  readonly fd: string;
  /** The file, the descriptor, or the text of a here-document or here-string. */
  readonly target: Word;
};

export type Simple = {
  readonly type: "simple";
  readonly assignments: readonly Assignment[];
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
};

export type Compound = {
  readonly type: "compound";
  readonly kind: "group" | "subshell" | "loop" | "branch" | "function";
  /** Of a function, or the variable of a `for`. */
  readonly name: string;
  /** The list of a `for`, subject and patterns of a `case`. */
  readonly words: readonly Word[];
  readonly scripts: readonly Script[];
  readonly redirects: readonly Redirect[];
};

export type Command = Simple | Compound;

export type Pipeline = { readonly stages: readonly Command[]; readonly background: boolean };

export type Script = { readonly pipelines: readonly Pipeline[] };

/** Where the parser stands in its text. The first thing that is wrong stays. */
export type Cursor = {
  readonly text: string;
  at: number;
  depth: number;
  error: string | undefined;
  /** Here-documents whose text begins after the next newline. */
  readonly pending: ((body: string) => void)[];
  readonly pendingEnds: { readonly delimiter: string; readonly stripTabs: boolean }[];
  /** Parses commands from here to the closing parenthesis, or the whole of a text. */
  readonly nested: (cursor: Cursor) => Script;
  readonly nestedText: (cursor: Cursor, text: string) => Script;
};

export const MAX_DEPTH = 48;

/** Notes what is wrong and goes to the end, so that everything above stops. */
export function giveUp(cursor: Cursor, error: string): void {
  cursor.error ??= error;
  cursor.at = cursor.text.length;
}
