import { escapeHtml } from "./escape-html.ts";

// Colours for code that nobody declared exactly: what strings, comments, numbers and key words look like almost
// everywhere. One pass of one expression, so its cost is in proportion to the text.

const MAX_CHARS = 200_000;
const HASH_COMMENTS = new Set([
  "sh",
  "bash",
  "shell",
  "zsh",
  "python",
  "py",
  "ruby",
  "yaml",
  "yml",
  "toml",
  "make",
]);
const PLAIN = new Set(["", "text", "txt", "plain", "console", "output"]);

const WORDS =
  "abstract|and|as|assert|async|await|break|case|catch|class|const|continue|def|default|delete|do|done|elif|else|" +
  "enum|esac|except|export|extends|extern|false|False|fi|finally|fn|for|from|func|function|go|if|impl|implements|" +
  "import|in|interface|is|lambda|let|loop|match|mod|mut|new|nil|None|not|null|or|package|pass|private|pub|public|" +
  "raise|readonly|return|select|self|static|struct|super|switch|then|this|throw|trait|true|True|try|type|typeof|" +
  "undefined|use|var|void|where|while|with|yield|SELECT|FROM|WHERE|INSERT|INTO|UPDATE|DELETE|CREATE|TABLE|JOIN";

const STRING = `"(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\\\n]|\\\\.)*'|\`(?:[^\`\\\\]|\\\\.)*\``;
const TAIL = `|(${STRING})|\\b(\\d[\\w.]*)\\b|\\b(${WORDS})\\b`;
// A comment that does not end goes to the end: otherwise each would be looked at to the end and given up.
const SLASHED = new RegExp(`(//[^\\n]*|/\\*[\\s\\S]*?(?:\\*/|$)|<!--[\\s\\S]*?(?:-->|$))${TAIL}`, "g");
const HASHED = new RegExp(`((?<=^|\\s)#[^\\n]*)${TAIL}`, "gm");
const CLASSES = ["c", "s", "n", "k"] as const;

/** Code as HTML: everything of it escaped, parts of it in spans. */
export function highlight(code: string, language: string): string {
  const name = language.toLowerCase();
  if (name === "diff" || name === "patch" || isDiff(code)) return highlightDiff(code);
  if (PLAIN.has(name) || code.length > MAX_CHARS) return escapeHtml(code);
  const pattern = HASH_COMMENTS.has(name) ? HASHED : SLASHED;
  let html = "";
  let done = 0;
  for (const match of code.matchAll(pattern)) {
    const kind = match.slice(1).findIndex((group) => group !== undefined);
    html += `${escapeHtml(code.slice(done, match.index))}<span class="${CLASSES[kind] ?? "c"}">${escapeHtml(match[0])}</span>`;
    done = match.index + match[0].length;
  }
  return html + escapeHtml(code.slice(done));
}

/** Unified diffs are recognised by their hunks. */
export const isDiff = (text: string): boolean => /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/m.test(text);

const highlightDiff = (code: string): string => code.split("\n").map(diffLine).join("\n");

function diffLine(line: string): string {
  const kind = /^(?:diff |index |--- |\+\+\+ )/.test(line)
    ? "c"
    : line.startsWith("@@")
      ? "k"
      : line.startsWith("+")
        ? "add"
        : line.startsWith("-")
          ? "del"
          : undefined;
  return kind === undefined ? escapeHtml(line) : `<span class="${kind}">${escapeHtml(line)}</span>`;
}
