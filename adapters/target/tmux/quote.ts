/** One argument of a tmux command line, which is itself one line: nothing in it is expanded. */
export const tmuxQuote = (text: string): string =>
  `'${text.replaceAll("'", `'"'"'`).replaceAll("\n", `'"\\n"'`)}'`;

/** One word for a POSIX shell. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
