/** Reads `\n`, `\x41`, `\101`, `\u0041` as `$'…'`, `printf` and `echo -e` do. */
export function decodeEscapes(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|0?([0-7]{1,3})|c(.)|([\s\S]))/g,
    (whole, hex, four, eight, octal, control, other) => {
      const code = hex ?? four ?? eight;
      if (code !== undefined) return character(Number.parseInt(code, 16));
      if (octal !== undefined) return character(Number.parseInt(octal, 8) & 0xff);
      if (control !== undefined) return character(control.charCodeAt(0) & 0x1f);
      return SINGLE.get(other) ?? whole;
    },
  );
}

const SINGLE = new Map([
  ["\\", "\\"],
  ["'", "'"],
  ['"', '"'],
  ["?", "?"],
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
  ["a", "\x07"],
  ["b", "\b"],
  ["e", "\x1b"],
  ["E", "\x1b"],
  ["f", "\f"],
  ["v", "\v"],
]);

const character = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : "");
