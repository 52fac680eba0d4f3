// What models call tools and arguments elsewhere. Never advertised; the rules are those of the tool that is meant.

const ALIASES = new Map([
  ["bash", "run_shell"],
  ["shell", "run_shell"],
  ["read", "read_file"],
  ["write", "write_file"],
  ["edit", "edit_file"],
]);

/** The name of the tool that is meant. */
export const aliasOf = (name: string): string | undefined => ALIASES.get(name.toLowerCase());

const OLD_TEXT = ["old_string", "oldString", "old_text", "oldText", "old_str"];
const NEW_TEXT = ["new_string", "newString", "new_text", "newText", "new_str"];

/** Arguments of aliases in which control characters are content. */
export const CONTENT_OF_ALIASES: readonly string[] = [...OLD_TEXT, ...NEW_TEXT];

/** Arguments under the names that the tools have: a path by another name, one edit that is not in a list. */
export function adapted(args: unknown): unknown {
  const given = new Map<string, unknown>(Object.entries(Object(args)));
  const take = (names: readonly string[]): unknown => {
    const name = names.find((one) => given.has(one));
    const value = name === undefined ? undefined : given.get(name);
    if (name !== undefined) given.delete(name);
    return value;
  };
  if (!given.has("path")) {
    const path = take(["file_path", "filePath", "filename"]);
    if (path !== undefined) given.set("path", path);
  }
  if (!given.has("edits")) {
    const [search, replace] = [take(OLD_TEXT), take(NEW_TEXT)];
    if (search !== undefined) given.set("edits", [{ search, replace }]);
  }
  return Object.fromEntries(given);
}
