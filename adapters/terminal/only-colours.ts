// What a renderer of ours made of somebody's text may hold colours and nothing else that steers a terminal.

const SEQUENCE = /\u001b\[[0-9;]*m|\u001b/g;
const HIDDEN =
  /[\u0000-\u0009\u000b-\u001a\u001c-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** Keeps colour codes and line ends; tabs become blanks, everything else invisible goes. */
export function onlyColours(text: string): string {
  return text
    .replaceAll("\t", "    ")
    .replace(HIDDEN, "")
    .replace(SEQUENCE, (found) => (found.length > 1 ? found : ""));
}
