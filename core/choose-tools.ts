import { nearest } from "./nearest.ts";
import { err, ok, type Result } from "./result.ts";
import type { Toolset } from "./tool.ts";

/** `a,b,-c`: only these, without that; with nothing but `-c`, all the others. A name that is no tool is a mistake. */
export function chooseTools(tools: Toolset, list: string | undefined): Result<Toolset, string> {
  if (list === undefined) return ok(tools);
  const words = list.split(",").map((word) => word.trim());
  const [out, wanted] = [
    words.filter((word) => word.startsWith("-")),
    words.filter((word) => !word.startsWith("-")),
  ];
  const known = tools.specs.map((spec) => spec.name);
  const without = out.map((word) => word.slice(1));
  const unknown = [...wanted, ...without].find((name) => !known.includes(name));
  if (unknown !== undefined) return err(unknownTool(unknown, known));
  const kept = new Set((wanted.length > 0 ? wanted : known).filter((name) => !without.includes(name)));
  return ok({
    specs: tools.specs.filter((spec) => kept.has(spec.name)),
    get: async (name) => (kept.has(name) ? tools.get(name) : undefined),
  });
}

function unknownTool(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  const said = meant ? `; did you mean "${meant}"?` : `. The tools are: ${known.join(", ") || "none"}`;
  return `There is no tool ${JSON.stringify(name)}${said}`;
}
