import { err, ok, type Result } from "../../core/result.ts";
import { type ColourDepth, sgrOf } from "./style.ts";

/** What a piece of the screen is, so that one table decides how it looks. */
export const ROLES = [
  ...["prompt", "header", "user", "tool", "arguments", "result", "count", "error", "warning"],
  ...["reasoning", "added", "removed", "hunk", "footer", "selected", "queue", "status", "command"],
] as const;
export type Role = string;

export type Theme = {
  readonly name: string;
  /** Chooses the colours that Markdown is rendered with. */
  readonly light: boolean;
  readonly styles: Readonly<Record<Role, string>>;
};

const DARK: Theme = {
  name: "dark",
  light: false,
  styles: {
    prompt: "green bold",
    header: "green bold",
    user: "bold",
    tool: "yellow",
    arguments: "dim",
    result: "dim",
    count: "cyan",
    error: "red bold",
    warning: "yellow bold",
    reasoning: "dim",
    added: "green",
    removed: "red",
    hunk: "cyan",
    footer: "dim",
    selected: "cyan bold",
    queue: "dim",
    status: "cyan",
    command: "bold",
  },
};

/** Yellow and cyan of sixteen colours are hard to read on white: darker ones where there are more. */
const LIGHT: Theme = {
  name: "light",
  light: true,
  styles: {
    ...DARK.styles,
    prompt: "#116329 bold",
    header: "#116329 bold",
    tool: "#8a5a00",
    count: "#0b6b78",
    error: "#b42318 bold",
    warning: "#8a5a00 bold",
    added: "#116329",
    removed: "#b42318",
    hunk: "#0b6b78",
    selected: "#0b6b78 bold",
    status: "#0b6b78",
  },
};

export const BUILTIN_THEMES: readonly Theme[] = [DARK, LIGHT];

export const builtinTheme = (background: "dark" | "light"): Theme => (background === "light" ? LIGHT : DARK);

export type Painter = (role: Role, text: string) => string;

export const noPaint: Painter = (_role, text) => text;

/** Colours by role; every piece is closed, so that nothing runs over into what follows. */
export function painter(theme: Theme, depth: ColourDepth): Painter {
  if (depth === "none") return noPaint;
  const codes = new Map(Object.entries(theme.styles).map(([role, style]) => [role, sgrOf(style, depth)]));
  return (role, text) => {
    const code = codes.get(role);
    return text === "" || !code ? text : `\u001b[${code}m${text}\u001b[0m`;
  };
}

/** A theme of the user: `{"light": bool, "styles": {role: style}}`; what it does not say is as in the built-in one. */
export function themeOf(name: string, value: unknown): Result<Theme, string> {
  if (typeof value !== "object" || value === null) return err("it must be an object");
  const fields = new Map<string, unknown>(Object.entries(value));
  const light = fields.get("light") === true;
  const base = builtinTheme(light ? "light" : "dark");
  const wanted = fields.get("styles") ?? {};
  if (typeof wanted !== "object" || wanted === null) return err('"styles" must be an object');
  const styles: Record<string, string> = { ...base.styles };
  for (const [role, style] of Object.entries(wanted)) {
    if (!ROLES.some((known) => known === role)) return err(`there is no role "${role}"`);
    if (typeof style !== "string" || sgrOf(style, "true") === undefined) {
      return err(`"${role}" is no style; write for example "green bold" or "#ffaa00"`);
    }
    styles[role] = style;
  }
  return ok({ name, light, styles });
}
