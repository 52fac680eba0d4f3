import { join, posix } from "node:path";
import { Glob, Transpiler } from "bun";

const CORE_PACKAGES = new Set(["valibot", "@valibot/to-json-schema", "ipaddr.js"]);
const MAX_LINES = 300;
/** Output and host are what every command needs; a composition is made of the others. */
const ADAPTERS_FOR_ALL = new Set(["host", "output"]);

type Import = { readonly from: string; readonly to: string; readonly lazy: boolean };
type Source = { readonly path: string; readonly text: string; readonly imports: readonly Import[] };

/** Every breach of the rules of ARCHITECTURE.md in the tree below `root`, one line each. */
export async function violations(root: string): Promise<readonly string[]> {
  const sources = await readSources(root);
  return [
    ...sources.flatMap(({ imports }) => imports.flatMap(wrongDirection)),
    ...sources.flatMap(manyAdapters),
    ...sources.filter(({ path }) => path.startsWith("core/")).flatMap(timeOrChance),
    ...cycles(sources),
    ...sources.flatMap(({ path, text }) => tooLong(path, text)),
  ];
}

async function readSources(root: string): Promise<readonly Source[]> {
  const sources: Source[] = [];
  for (const folder of ["core", "adapters", "cmd"]) {
    const found = await Array.fromAsync(new Glob(`${folder}/**/*.ts`).scan({ cwd: root })).catch(() => []);
    for (const path of found.sort()) {
      const text = await Bun.file(join(root, path)).text();
      sources.push({ path, text, imports: importsOf(path, text) });
    }
  }
  return sources;
}

const IMPORT_STATEMENT = /^\s*(?:import|export)\s[^;]*?\sfrom\s+"([^"]+)"|^\s*import\s+"([^"]+)"/gm;

/** Type-only imports count too: the compiler drops them, the reader does not. */
function importsOf(from: string, text: string): readonly Import[] {
  if (from.endsWith(".d.ts")) return [];
  const named = [...text.matchAll(IMPORT_STATEMENT)].map((match) => ({
    name: match[1] ?? match[2] ?? "",
    lazy: false,
  }));
  const lazy = new Transpiler({ loader: "ts" })
    .scanImports(text)
    .filter(({ kind }) => kind !== "import-statement")
    .map(({ path }) => ({ name: path, lazy: true }));
  return [...named, ...lazy].map(({ name, lazy }) => ({
    from,
    lazy,
    to: name.startsWith(".") ? posix.join(posix.dirname(from), name) : name,
  }));
}

function wrongDirection({ from, to }: Import): readonly string[] {
  const says = (rule: string) => [
    `${from} imports ${/^(core|adapters|cmd)\//.test(to) ? to : `"${to}"`}: ${rule}`,
  ];
  const [layer, folder] = from.split("/");
  const [toLayer, toFolder] = to.split("/");
  if (layer === "core") {
    if (toLayer === "core") return [];
    if (toLayer === "adapters" || toLayer === "cmd") return says("core points nowhere but into core");
    return CORE_PACKAGES.has(to) ? [] : says("core uses only pure packages");
  }
  if (layer !== "adapters") return [];
  if (toLayer === "cmd") return says("an adapter never knows a command");
  if (toLayer !== "adapters" || toFolder === folder || toFolder === "host") return [];
  return says("adapters know only core and adapters/host");
}

function manyAdapters({ path, imports }: Source): readonly string[] {
  if (!path.startsWith("cmd/") || /^cmd\/wire(?:-[a-z-]+)?\.ts$/.test(path)) return [];
  const folders = new Set(
    imports.filter(({ to }) => to.startsWith("adapters/")).map(({ to }) => to.split("/")[1] ?? ""),
  );
  const wired = [...folders].filter((folder) => !ADAPTERS_FOR_ALL.has(folder)).sort();
  if (wired.length < 2) return [];
  return [
    `${path} imports ${wired.map((folder) => `adapters/${folder}`).join(" and ")}: only cmd/wire*.ts know two`,
  ];
}

function timeOrChance({ path, text }: Source): readonly string[] {
  return text.split("\n").flatMap((line, index) => {
    const found = /\bDate\.now|\bnew Date\(\)|\bMath\.random|\bperformance\b|\bcrypto\b|\bsetTimeout\b/.exec(
      line,
    );
    return found && !/^\s*(\/\/|\*)/.test(line)
      ? [`${path}:${index + 1} uses ${found[0]}: time and chance come from Host`]
      : [];
  });
}

/** Each cycle once, from its first file in the alphabet. Lazy imports are edges of time, not of structure. */
function cycles(sources: readonly Source[]): readonly string[] {
  const edges = new Map(
    sources.map(({ path, imports }) => [path, imports.filter(({ lazy }) => !lazy).map(({ to }) => to)]),
  );
  const found = new Set<string>();
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path);
    if (at !== -1) {
      const ring = trail.slice(at);
      const first = ring.indexOf([...ring].sort()[0] ?? "");
      const turned = [...ring.slice(first), ...ring.slice(0, first)];
      found.add(`import cycle: ${[...turned, turned[0]].join(" → ")}`);
      return;
    }
    if (done.has(path)) return;
    for (const next of edges.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) visit(path, []);
  return [...found];
}

function tooLong(path: string, text: string): readonly string[] {
  const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  return lines > MAX_LINES ? [`${path} has ${lines} lines: over ${MAX_LINES} is more than one idea`] : [];
}
