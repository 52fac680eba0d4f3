/**
 * Whether a pattern of the user's occurs in a command. Case does not count, several blanks are one, `*` stands for
 * anything and `?` for one character. Where a pattern begins or ends with a letter or a digit, a word must begin or
 * end there: "rm" is in "git rm x" and "/bin/rm", not in "format".
 */
export function matchesPattern(pattern: string, text: string): boolean {
  const wanted = squeeze(pattern);
  if (wanted === "") return false;
  const given = squeeze(text);
  const pieces = wanted.split(/\*+/);
  const [first = "", ...rest] = pieces;
  if (pieces.length === 1) return findPiece(given, first, 0, { start: true, end: true }) !== -1;
  // The first place of each piece leaves the most room for the next.
  let at = first === "" ? 0 : findPiece(given, first, 0, { start: true, end: false });
  if (at === -1) return false;
  at += first.length;
  return rest.every((piece, index) => {
    if (piece === "") return true;
    const found = findPiece(given, piece, at, { start: false, end: index === rest.length - 1 });
    at = found + piece.length;
    return found !== -1;
  });
}

const squeeze = (text: string): string => text.toLowerCase().replace(/\s+/g, " ").trim();

type Edges = { readonly start: boolean; readonly end: boolean };

function findPiece(text: string, piece: string, from: number, edges: Edges): number {
  for (let at = nextPlace(text, piece, from); at !== -1; at = nextPlace(text, piece, at + 1)) {
    const begins = !edges.start || isEdge(text.charAt(at - 1), piece.charAt(0));
    const end = at + piece.length;
    if (begins && (!edges.end || isEdge(piece.charAt(piece.length - 1), text.charAt(end)))) return at;
  }
  return -1;
}

/** A word begins or ends between these two characters. */
const isEdge = (before: string, after: string): boolean =>
  !(/[\p{L}\p{N}]/u.test(before) && /[\p{L}\p{N}]/u.test(after));

function nextPlace(text: string, piece: string, from: number): number {
  if (!piece.includes("?")) return text.indexOf(piece, from);
  for (let at = from; at + piece.length <= text.length; at++) {
    let same = 0;
    while (
      same < piece.length &&
      (piece.charAt(same) === "?" || piece.charAt(same) === text.charAt(at + same))
    )
      same++;
    if (same === piece.length) return at;
  }
  return -1;
}
