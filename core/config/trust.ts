import type { RawTable } from "./layers.ts";

/** A project's file without the keys that could leak credentials or loosen safety, and the names of those. */
export function untrusted(values: RawTable): {
  readonly values: RawTable;
  readonly ignored: readonly string[];
} {
  const ignored: string[] = [];
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    if (FORBIDDEN_TABLES.has(name)) ignored.push(`[${name}]`);
    else if (name === "tools") kept.tools = withoutLoosening(value, ignored);
    else kept[name] = value;
  }
  return { values: kept, ignored };
}

const FORBIDDEN_TABLES = new Set(["models", "mcp", "network", "extensions", "hooks", "plugins", "__proto__"]);

/** Keys of `[tools]` that a project may only tighten. */
const LOOSENING: Readonly<Record<string, (value: unknown) => boolean>> = {
  shell_confirm: (value) => value !== true,
  files_confirm: (value) => value !== true,
  fetch_confirm: (value) => value !== true,
  shell_denylist: () => true,
  files_allowed_paths: () => true,
  fetch_allowed_domains: () => true,
  env_pass: () => true,
  sandbox: () => true,
  redact: () => true,
};

function withoutLoosening(tools: unknown, ignored: string[]): unknown {
  if (typeof tools !== "object" || tools === null || Array.isArray(tools)) return tools;
  return Object.fromEntries(
    Object.entries(tools).filter(([name, value]) => {
      const loosens = Object.hasOwn(LOOSENING, name) && LOOSENING[name]?.(value);
      if (loosens) ignored.push(`tools.${name}`);
      return !loosens;
    }),
  );
}
