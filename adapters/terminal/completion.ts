import type { AutocompleteItem, AutocompleteProvider, AutocompleteSuggestions } from "@earendil-works/pi-tui";
import { fuzzyFilter } from "@earendil-works/pi-tui";
import { displayText } from "../../core/sanitize.ts";
import type { CommandRegistry } from "./commands.ts";
import type { TargetFiles } from "./target-files.ts";

const MOST = 50;

/** `/` completes commands and what follows them, `@` files of the target, Tab paths. */
export function completion(registry: () => CommandRegistry, files: TargetFiles): AutocompleteProvider {
  return {
    triggerCharacters: ["@"],
    getSuggestions: async (lines, cursorLine, cursorCol, { signal, force }) => {
      const before = (lines[cursorLine] ?? "").slice(0, cursorCol);
      const found = await suggest(before, cursorLine, {
        registry: registry(),
        files,
        force: force ?? false,
        signal,
      });
      return found && found.items.length > 0 ? { ...found, items: found.items.slice(0, MOST) } : null;
    },
    applyCompletion: (lines, cursorLine, cursorCol, item, prefix) => {
      const line = lines[cursorLine] ?? "";
      const start = line.slice(0, cursorCol - prefix.length);
      // A directory is gone into, everything else is followed by the next word.
      const inserted = item.value.endsWith("/") ? item.value : `${item.value} `;
      const next = [...lines];
      next[cursorLine] = start + inserted + line.slice(cursorCol);
      return { lines: next, cursorLine, cursorCol: start.length + inserted.length };
    },
    shouldTriggerFileCompletion: () => true,
  };
}

type Sources = {
  readonly registry: CommandRegistry;
  readonly files: TargetFiles;
  readonly force: boolean;
  readonly signal: AbortSignal;
};

async function suggest(
  before: string,
  line: number,
  from: Sources,
): Promise<AutocompleteSuggestions | undefined> {
  const slash = line === 0 ? /^\s*\/(\S*)$/.exec(before) : null;
  if (slash) return { prefix: `/${slash[1] ?? ""}`, items: commandItems(from.registry, slash[1] ?? "") };
  const argument = line === 0 ? /^\s*\/(\S+)\s+(.*)$/.exec(before) : null;
  if (argument) return argumentItems(from.registry, argument[1] ?? "", argument[2] ?? "");
  const mention = /(?:^|\s)@([^\s@]*)$/.exec(before);
  if (mention) {
    const query = mention[1] ?? "";
    const found = await from.files.find(query, from.signal);
    return { prefix: `@${query}`, items: found.map((path) => item(`@${path}`, path)) };
  }
  if (!from.force) return undefined;
  const word = /(\S*)$/.exec(before)?.[1] ?? "";
  const found = await from.files.list(word, from.signal);
  return { prefix: word, items: found.map((path) => item(path, path)) };
}

function commandItems({ all }: CommandRegistry, prefix: string): AutocompleteItem[] {
  const known = all.flatMap((command) =>
    [command.name, ...(command.aliases ?? [])].map((name) => ({ command, name })),
  );
  const begins = known.filter(({ name }) => name.startsWith(prefix));
  const fits = begins.length > 0 ? begins : fuzzyFilter(known, prefix, ({ name }) => name);
  return fits.map(({ command, name }) => ({
    ...item(`/${name}`, name),
    description: displayText(command.does),
  }));
}

async function argumentItems(
  { find }: CommandRegistry,
  name: string,
  prefix: string,
): Promise<AutocompleteSuggestions | undefined> {
  const choices = await find(name)?.complete?.(prefix);
  if (choices === undefined) return undefined;
  const fits = choices.filter(({ value }) => value.startsWith(prefix) && value !== prefix);
  return {
    prefix,
    items: fits.map(({ value, label, detail = "" }) => ({ ...item(value, label), description: detail })),
  };
}

const item = (value: string, label: string): AutocompleteItem => ({ value, label: displayText(label) });
