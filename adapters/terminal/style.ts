/** How many colours a terminal has. */
export type ColourDepth = "none" | "16" | "256" | "true";

const NAMES = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
const EFFECTS: Readonly<Record<string, string>> = {
  bold: "1",
  dim: "2",
  italic: "3",
  underline: "4",
  inverse: "7",
};

/** The codes for a style such as `yellow bold` or `#ffaa00 on-#202020`; undefined when a word means nothing. */
export function sgrOf(style: string, depth: ColourDepth): string | undefined {
  const codes: string[] = [];
  for (const word of style.split(/\s+/).filter((part) => part !== "")) {
    const code = EFFECTS[word] ?? colourCode(word, depth);
    if (code === undefined) return undefined;
    codes.push(code);
  }
  return codes.join(";");
}

function colourCode(word: string, depth: ColourDepth): string | undefined {
  const back = word.startsWith("on-");
  const name = back ? word.slice(3) : word;
  const bright = name.startsWith("bright-");
  const index = NAMES.indexOf(bright ? name.slice(7) : name);
  if (index !== -1) return String((back ? 40 : 30) + (bright ? 60 : 0) + index);
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(name);
  if (!hex) return undefined;
  const [red = 0, green = 0, blue = 0] = hex.slice(1).map((part) => Number.parseInt(part, 16));
  const lead = back ? "48" : "38";
  if (depth === "true") return `${lead};2;${red};${green};${blue}`;
  if (depth === "256") return `${lead};5;${cubeIndex([red, green, blue])}`;
  return String((back ? 40 : 30) + nearestOfEight(red, green, blue));
}

/** The place in the 6×6×6 cube that 256-colour terminals have. */
const cubeIndex = (parts: readonly number[]): number =>
  parts.reduce((index, part) => index * 6 + Math.round((part / 255) * 5), 0) + 16;

/** Which of red, green and blue is near the strongest one decides. */
function nearestOfEight(red: number, green: number, blue: number): number {
  const strongest = Math.max(red, green, blue);
  if (strongest < 40) return 0;
  const has = (part: number) => (part >= strongest * 0.6 ? 1 : 0);
  return has(red) + 2 * has(green) + 4 * has(blue);
}

type Env = Readonly<Record<string, string | undefined>>;

/** What this terminal can show, and what the user wants to see. */
export function colourDepth(env: Env, wanted: { readonly color: boolean }): ColourDepth {
  if (!wanted.color || env.NO_COLOR || !env.TERM || env.TERM === "dumb") return "none";
  if (/truecolor|24bit/i.test(env.COLORTERM ?? "") || /-direct$/.test(env.TERM)) return "true";
  return /256color|kitty|alacritty|ghostty|foot/.test(env.TERM) ? "256" : "16";
}
