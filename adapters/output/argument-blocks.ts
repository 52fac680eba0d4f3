import { isFields } from "../../core/lenient.ts";

export type ArgumentBlock = { readonly title: string; readonly text: string; readonly language: string };

/** The arguments of a call for reading: texts of several lines and commands as they are, the rest as JSON. */
export function argumentBlocks(raw: string): readonly ArgumentBlock[] {
  const args = parsed(raw);
  if (!isFields(args)) return raw.trim() === "" ? [] : [{ title: "arguments", text: raw, language: "json" }];
  const isText = ([key, value]: readonly [string, unknown]): boolean =>
    typeof value === "string" && (value.includes("\n") || SHELL.test(key));
  const entries = Object.entries(args);
  const rest = entries.filter((entry) => !isText(entry));
  return [
    ...entries.filter(isText).map(([title, value]) => ({
      title,
      text: String(value).replace(/\n$/, ""),
      language: SHELL.test(title) ? "sh" : languageOf(args.path),
    })),
    ...(rest.length === 0
      ? []
      : [
          {
            title: "arguments",
            text: JSON.stringify(Object.fromEntries(rest), undefined, 2),
            language: "json",
          },
        ]),
  ];
}

/** What a call about a file answers is most often from that file. */
export function resultLanguage(raw: string): string {
  const args = parsed(raw);
  return isFields(args) ? languageOf(args.path) : "";
}

const SHELL = /^(?:command|script|cmd)$/;

/** By the ending of the file that the call is about. */
const languageOf = (path: unknown): string =>
  typeof path === "string" ? (/\.([a-z0-9]+)$/i.exec(path)?.[1] ?? "") : "";

function parsed(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined; // what the model wrote is no JSON: shown as it is
  }
}
