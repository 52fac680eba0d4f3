import type { Output } from "../host/output.ts";

export type Paint = (style: Style, text: string) => string;

const CODES = { bold: "1", dim: "2", red: "1;31", green: "1;32", yellow: "33", cyan: "36" } as const;
export type Style = keyof typeof CODES;

export const plain: Paint = (_style, text) => text;

/** Own and tiny: colour libraries look at the terminal when they are loaded, which costs milliseconds. */
export const coloured: Paint = (style, text) =>
  text === "" ? "" : `\u001b[${CODES[style]}m${text}\u001b[0m`;

type ColourChoice = {
  readonly flags: { readonly on: (name: string) => boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** Colours are for a terminal, and for whoever did not refuse them. */
export function paintFor({ flags, env }: ColourChoice, output: Output): Paint {
  if (flags.on("no-color") || env.NO_COLOR) return plain;
  if (env.FORCE_COLOR) return coloured;
  return output.isTerminal() && env.TERM && env.TERM !== "dumb" ? coloured : plain;
}
