import { closestPlace } from "./closest-place.ts";
import { type Fold, type FoldedText, foldText } from "./fold-text.ts";
import { err, ok, type Result } from "./result.ts";

export type Edit = { readonly search: string; readonly replace: string };

export type EditedText = { readonly text: string; readonly notices: readonly string[] };

/** All edits or none. Every search is found in the text as it was; its line endings and byte order mark stay. */
export function applyEdits(text: string, edits: readonly Edit[]): Result<EditedText, string> {
  const exact = foldText(text, "endings");
  let loose: FoldedText | undefined;
  const looseText = () => {
    loose ??= foldText(text, "looks");
    return loose;
  };
  const matches: Match[] = [];
  for (const [index, { search, replace }] of edits.entries()) {
    const place = findOnce(exact, looseText, search);
    const name = edits.length === 1 ? "the search" : `search ${index + 1} of ${edits.length}`;
    if (!place.ok) return err(explainMiss(text, name, search, place.error));
    matches.push({ ...place.value, name, replace: withEndings(text, place.value, replace) });
  }
  matches.sort((a, b) => a.start - b.start);
  const clash = matches.find((match, at) => (matches[at + 1]?.start ?? Number.POSITIVE_INFINITY) < match.end);
  if (clash) return err(`${clash.name} overlaps with another: make one edit of them`);
  const after = replaced(text, matches);
  if (after === text) return err("the edits change nothing");
  const notices = matches.flatMap(({ name, isLoose }) => (isLoose ? [looseNotice(name)] : []));
  return ok({ text: after, notices });
}

type Place = { readonly start: number; readonly end: number; readonly isLoose: boolean };
type Match = Place & { readonly name: string; readonly replace: string };

const looseNotice = (name: string): string =>
  `${upperFirst(name)} differed from the file in trailing blanks or typographic quotes, dashes or spaces; it was taken`;

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Where the search is, or the lines of all places where it is. */
function findOnce(
  exact: FoldedText,
  loose: () => FoldedText,
  search: string,
): Result<Place, readonly number[]> {
  const found = placesOf(exact, search, "endings");
  if (found.length === 1) return ok({ ...rangeIn(exact, found), isLoose: false });
  if (found.length > 1) return err(found.map(({ start }) => exact.lineAt(start)));
  const near = placesOf(loose(), search, "looks");
  if (near.length === 1) return ok({ ...rangeIn(loose(), near), isLoose: true });
  return err(near.map(({ start }) => loose().lineAt(start)));
}

type Range = { readonly start: number; readonly end: number };

function rangeIn(folded: FoldedText, [found]: readonly Range[]): Range {
  return { start: folded.original(found?.start ?? 0, "start"), end: folded.original(found?.end ?? 0, "end") };
}

/** More are not worth counting. */
const MOST_PLACES = 1000;

function placesOf(folded: FoldedText, search: string, fold: Fold): readonly Range[] {
  const wanted = foldText(search, fold).text;
  // Blanks at the end of a search were left out: it then has to end where a line does.
  const toLineEnd = fold === "looks" && /[^\S\n]$/.test(search);
  if (wanted.trim() === "" && fold === "looks") return [];
  const places: Range[] = [];
  let at = folded.text.indexOf(wanted);
  while (at !== -1 && places.length < MOST_PLACES) {
    const end = at + wanted.length;
    const next = folded.text[end];
    if (!toLineEnd || next === undefined || next === "\n") places.push({ start: at, end });
    at = folded.text.indexOf(wanted, at + 1);
  }
  return places;
}

/** With the line endings of the place, or else of most of the text. */
function withEndings(text: string, { start, end }: Range, replace: string): string {
  const plain = replace.replaceAll("\r\n", "\n");
  const here = /\r?\n/.exec(text.slice(start, end))?.[0];
  return (here ?? usualEnding(text)) === "\r\n" ? plain.replaceAll("\n", "\r\n") : plain;
}

function usualEnding(text: string): string {
  let windows = 0;
  let all = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    all += 1;
    if (text[at - 1] === "\r") windows += 1;
  }
  return windows * 2 > all ? "\r\n" : "\n";
}

function replaced(text: string, matches: readonly Match[]): string {
  let after = "";
  let at = 0;
  for (const { start, end, replace } of matches) {
    after += text.slice(at, start) + replace;
    at = end;
  }
  return after + text.slice(at);
}

const SHOWN_LINES = 8;

function explainMiss(text: string, name: string, search: string, lines: readonly number[]): string {
  if (lines.length > 1) {
    const count = lines.length === MOST_PLACES ? `${MOST_PLACES} times or more` : `${lines.length} times`;
    const shown = lines.slice(0, SHOWN_LINES).join(", ") + (lines.length > SHOWN_LINES ? ", …" : "");
    return `${name} occurs ${count} (lines ${shown}): give more of the lines around the one you mean`;
  }
  const closest = closestPlace(text, search);
  const where =
    closest === undefined ? "nothing in the file is like it" : `the closest place is\n${closest}\n`;
  return `${name} was not found; ${where}`;
}
