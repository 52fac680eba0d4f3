import { reservedWord, type Stops } from "./parse-space.ts";
import { type Compound, type Cursor, giveUp, type Script, type Word } from "./syntax.ts";

/** Given to those who parse a part, because its parts are scripts again. */
export type ParseScript = (cursor: Cursor, stops: Stops) => Script;

export const compoundOf = (
  kind: Compound["kind"],
  scripts: readonly Script[],
  more: { readonly name?: string; readonly words?: readonly Word[] } = {},
): Compound => ({ type: "compound", kind, scripts, name: "", words: [], redirects: [], ...more });

export function expectWord(cursor: Cursor, word: string): void {
  if (reservedWord(cursor) === word) cursor.at += word.length;
  else giveUp(cursor, `"${word}" is missing`);
}
