import waiting from "./waiting.sh" with { type: "text" };

/** One word for a POSIX shell. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** The same without a line break in it, for a shell in which `$nl` is one. */
export const oneLineWord = (text: string): string => shellWord(text).replaceAll("\n", `'"$nl"'`);

/**
 * What a session on the far side runs: it takes one line of standard input as its program, and what follows is that
 * program's input. The text is the same for every use, so a session can be opened before it is known what for; and it
 * means the same to every login shell, because it has no quote, no line break and no exclamation mark in it.
 */
export const WAITING_SHELL: readonly string[] = ["sh", "-c", waiting.trim()];

/**
 * The line that makes a waiting shell run a script with arguments. One that has input of its own is the last thing that
 * the shell does: nothing of that input may ever be taken for the next line.
 */
export function programLine(script: string, words: readonly string[], input: "none" | "own"): string {
  const program = `set -- ${words.map(oneLineWord).join(" ")}; eval ${oneLineWord(script)}`;
  return input === "none" ? `${program}\n` : `(${program}); exit 1\n`;
}
