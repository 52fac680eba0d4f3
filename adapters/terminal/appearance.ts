import type { Look } from "./item-lines.ts";
import type { ColourDepth } from "./style.ts";
import { builtinTheme, type Painter, painter, type Theme } from "./theme.ts";
import { backgroundOf, findTheme, themeNames } from "./themes.ts";

export type AppearanceSettings = {
  readonly depth: ColourDepth;
  readonly markdown: boolean;
  /** As configured: `auto`, or the name of one. */
  readonly theme: string;
  readonly themesDir: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** How things look now; it changes when the user says so, or the terminal tells its background. */
export type Appearance = {
  readonly paint: Painter;
  readonly look: (width: number, expanded: boolean) => Look;
  readonly names: () => readonly string[];
  /** What is wrong with the theme, if so. */
  readonly use: (name: string) => string | undefined;
  readonly backgroundIs: (reply: string) => void;
  /** What is printed now might be in the wrong colours. */
  readonly waitsForBackground: () => boolean;
  /** Why it is not as configured. */
  readonly warning: string | undefined;
};

export function appearance({
  depth,
  markdown,
  theme: wanted,
  themesDir,
  env,
}: AppearanceSettings): Appearance {
  let background = backgroundOf(undefined, env) ?? "dark";
  let name = wanted;
  const first = findTheme(wanted, themesDir, background);
  let theme: Theme = first.ok ? first.value : builtinTheme(background);
  let paint = painter(theme, depth);

  const use = (next: string): string | undefined => {
    const found = findTheme(next, themesDir, background);
    if (!found.ok) return found.error;
    name = next;
    theme = found.value;
    paint = painter(theme, depth);
    return undefined;
  };

  return {
    paint: (role, text) => paint(role, text),
    look: (width, expanded) => ({ width, paint, depth, light: theme.light, markdown, expanded }),
    names: () => themeNames(themesDir),
    use,
    backgroundIs: (reply) => {
      background = backgroundOf(reply, env) ?? background;
      if (name === "auto") use(name);
    },
    waitsForBackground: () =>
      name === "auto" && depth !== "none" && backgroundOf(undefined, env) === undefined,
    warning: first.ok ? undefined : first.error,
  };
}
