/** An absolute path with its names as the most forgiving disk reads them. The first name is empty, or a drive. */
export type NamedPath = {
  readonly text: string;
  readonly keys: readonly string[];
  /** The path of its first names. */
  readonly upTo: (count: number) => string;
};

export function namedPath(text: string): NamedPath {
  const names = text.split("/");
  return { text, keys: names.map(nameKey), upTo: (count) => names.slice(0, count).join("/") };
}

/** The part of the path that is this place, when its names stand in the path from `at` on. `*` is any one name. */
export function placeAt(path: NamedPath, at: number, place: string): string | undefined {
  const names = place.replace(/^\//, "").split("/");
  if (at + names.length > path.keys.length) return undefined;
  const matches = names.every((name, index) => {
    const key = path.keys[at + index] ?? "";
    return name === "*" ? key !== "" : name.toLowerCase() === key;
  });
  return matches ? path.upTo(at + names.length) : undefined;
}

/** No case, no compatibility forms, nothing invisible, no trailing dots, blanks or streams. */
const nameKey = (name: string): string =>
  name
    .normalize("NFKC")
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "")
    .replace(/(?<=.):.*$/s, "")
    .replace(/(?<=[^. ])[. ]+$/, "")
    .toLowerCase();
