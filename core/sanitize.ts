// Text from models, tools, files and hosts is hostile: nothing of it may steer a terminal.

const ESCAPE_SEQUENCE =
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_](?:[^\u0007\u001b\u009c]|\u001b(?!\\))*(?:\u0007|\u001b\\|\u009c|$)|[ -/]*[0-~])|\u009b[0-?]*[ -/]*[@-~]/g;
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** For display: escape sequences go, other control and direction characters become visible. Newline and tab stay. */
export function displayText(text: string): string {
  return showHidden(text.replace(ESCAPE_SEQUENCE, ""));
}

/** For approval: nothing is left out, everything invisible is spelled. */
export function spelledOut(text: string): string {
  return showHidden(text);
}

/** For one line of chrome: displayed text with line breaks folded, cut to `max` characters. */
export function oneLine(text: string, max: number): string {
  // Cut before the work on it: what is far behind the end cannot matter, but that there is more does.
  const looked = text.slice(0, max * 16);
  const line = displayText(looked).replace(/\s+/g, " ").trim();
  if (line.length <= max && looked.length === text.length) return line;
  return `${line.slice(0, max - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

function showHidden(text: string): string {
  return text.replace(HIDDEN, (char) => {
    const code = char.charCodeAt(0);
    const hex = code.toString(16);
    return code <= 0xff ? `\\x${hex.padStart(2, "0")}` : `\\u${hex.padStart(4, "0")}`;
  });
}
