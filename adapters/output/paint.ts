export type Paint = (style: Style, text: string) => string;

const CODES = { bold: "1", dim: "2", red: "1;31", green: "1;32", yellow: "33", cyan: "36" } as const;
export type Style = keyof typeof CODES;

export const plain: Paint = (_style, text) => text;

/** Own and tiny: colour libraries look at the terminal when they are loaded, which costs milliseconds. */
export const coloured: Paint = (style, text) =>
  text === "" ? "" : `\u001b[${CODES[style]}m${text}\u001b[0m`;
