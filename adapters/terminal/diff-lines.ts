import { displayText } from "../../core/sanitize.ts";
import type { Painter } from "./theme.ts";
import { wrapped } from "./wrap.ts";

/** A unified diff, coloured by the first character of each line. */
export function diffLines(
  text: string,
  { paint, width }: { readonly paint: Painter; readonly width: number },
): readonly string[] {
  return displayText(text.trimEnd())
    .split("\n")
    .flatMap((line) => {
      const role = roleOf(line);
      return wrapped(line, width - 2).map((part) => `  ${role === undefined ? part : paint(role, part)}`);
    });
}

function roleOf(line: string): string | undefined {
  if (/^(?:diff |index |--- |\+\+\+ )/.test(line)) return "result";
  if (line.startsWith("@@")) return "hunk";
  if (line.startsWith("+")) return "added";
  return line.startsWith("-") ? "removed" : undefined;
}
