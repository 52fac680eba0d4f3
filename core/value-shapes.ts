/** What in a text has to stay exactly as it is written: paths, addresses, ids. In the order of the text. */
export function valuesIn(prose: string): readonly string[] {
  // Words first, shapes second: patterns that are tried at every character would take the square of the length.
  return prose.split(BETWEEN_WORDS).flatMap((word) => {
    if (word.length < SHORTEST || word.length > LONGEST) return [];
    const bare = trimPunctuation(word);
    if (URL.test(bare)) return [bare];
    const value = trimPunctuation(bare.slice(bare.lastIndexOf("=") + 1));
    return value.length >= SHORTEST && SHAPES.some((shape) => shape.test(value)) ? [value] : [];
  });
}

/** What somebody put in quotes. */
export function quotedIn(prose: string): readonly string[] {
  return [...prose.matchAll(QUOTED)].map((found) => found[1] ?? found[2] ?? found[3] ?? "");
}

/** Numbers of four digits or more: ports, tickets, accounts. */
export const numbersIn = (prose: string): readonly string[] => prose.match(/\b\d{4,20}\b/g) ?? [];

const SHORTEST = 3;
const LONGEST = 300;
const BETWEEN_WORDS = /[\s"'`<>()[\]{}|,;*]+/;
const QUOTED = /"([^"\n]{2,120})"|`([^`\n]{2,120})`|(?<!\w)'([^'\n]{2,120})'(?!\w)/g;

const trimPunctuation = (word: string): string => word.replace(/^[!?:.]+(?=[^/.])|[!?:.…]{1,10}$/g, "");

const URL = /^[a-z][a-z0-9+.-]{1,20}:\/\/\S+$/i;

const SHAPES: readonly RegExp[] = [
  // Absolute, in the home directory, or from here.
  /^(?:~|\.{1,2})?\/[^/\s]/,
  /^[a-z]:\\\S/i,
  // Relative: with an extension, or more than one step; "and/or" is neither.
  /^[\w.@+-]+(?:\/[\w.@+-]+)*\/[\w@+-]*\.[\w.]+$/,
  /^[\w.@+-]+(?:\/[\w.@+-]+){2,}\/?$/,
  // A file name.
  /^[\w-]+(?:\.[\w-]+)*\.(?:[a-z]{2,5}|[ch])$/i,
  // UUID, hash, IP address, host:port.
  /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i,
  /^(?=\w*\d)(?=\w*[a-f])[0-9a-f]{7,128}$/i,
  /^\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?(?:\/\d{1,2})?$/,
  /^(?=[\w.-]*[a-z])[\w.-]+:\d{2,5}$/i,
  // user@host, and words joined with digits: INC-4821, sess_8f3a, v1.2.3.
  /^[\w.+-]+@[\w.-]+$/,
  /^(?=\S*\d)(?=\S*[a-z])[a-z0-9]+(?:[-_.:#][a-z0-9]+)+$/i,
];
