// Programs inside arguments: what another interpreter is told to do, looked at from outside.

/** So much of a program is looked at: quotes that are never closed take time by the square. A longer one is asked about. */
export const MAX_CODE = 10_000;

const RUNS_SOMETHING =
  /\b(system|popen\w*|exec\w*|spawn\w*|subprocess|check_output|check_call|getoutput|child_process|shell_exec|passthru|proc_open|qx|syscall|do shell script|shell-command\w*|Open3|IO\.popen|os\.\w*exec|run|call|sh|Popen|command|pty)\b|`|\$`|%x/;

/** Commands after the words that start one in a program for Tcl. */
export const spawned = (code: string): readonly string[] =>
  [...code.matchAll(/\b(?:spawn|exec|system|send)\s+([^\n;\]]+)/g)].map(([, command = ""]) => command);

/** Whether a program text may start other programs. */
export const runsSomething = (code: string): boolean => RUNS_SOMETHING.test(code);

/** The texts in a program that it may hand to a shell: its string literals and what stands in backticks. */
export function literalsIn(code: string): readonly string[] {
  const found: string[] = [];
  const literals =
    /"((?:[^"\\]|\\[\s\S])*)"|'((?:[^'\\]|\\[\s\S])*)'|`((?:[^`\\]|\\[\s\S])*)`|(?:%[xqQwW]|q[qwx]?)\s*(?:\(([^)]*)\)|\{([^}]*)\}|\[([^\]]*)\]|<([^>]*)>|\|([^|]*)\||!([^!]*)!|\/([^/]*)\/)/g;
  for (const [, ...groups] of code.slice(0, MAX_CODE).matchAll(literals)) {
    const text = groups.find((one) => one !== undefined) ?? "";
    if (text !== "") found.push(text.replace(/\\(["'`\\/])/g, "$1"));
  }
  return found;
}

/** `["rm", "-rf", "/"]`: a list of words that a program starts without a shell. */
export function listsIn(code: string): readonly (readonly string[])[] {
  const lists: string[][] = [];
  // Neighbouring literals with nothing but punctuation between them.
  const neighbours = /(?:["'][^"'\n]*["'][\s,[\]()]*){2,}/g;
  for (const [run] of code.slice(0, MAX_CODE).matchAll(neighbours)) {
    lists.push([...run.matchAll(/["']([^"'\n]*)["']/g)].map(([, word = ""]) => word));
  }
  return lists;
}

/** Shell commands in a script for sed: `e command`, and nothing else that it can run. */
export function sedCommands(script: string): readonly string[] {
  return [
    ...script
      .slice(0, MAX_CODE)
      .matchAll(/(?:^|[\n;{}]|^[\d$,~!/\s]*|\/[^/]*\/\s*!?)\s*(?:\d+|\$|\d+,[\d$]+)?\s*!?\s*e\s+([^\n]+)/g),
  ]
    .map(([, command = ""]) => command)
    .concat(replacedAndRun(script));
}

/** `s/a/command/e`: what is put in is run. */
const replacedAndRun = (script: string): readonly string[] =>
  [
    ...script
      .slice(0, MAX_CODE)
      .matchAll(/s([/|,#:@!%])((?:(?!\1)[^\\\n]|\\.)*)\1((?:(?!\1)[^\\\n]|\\.)*)\1[gpIiMm0-9]*e/g),
  ].map(([, , , by = ""]) => by.replace(/\\(.)/g, "$1"));

/** `:!command` of vi, `shell command` of gdb, `\! command` of psql, `.shell command` of sqlite3, `+!command` of less. */
export function shellEscapes(text: string): readonly string[] {
  return [
    ...text
      .slice(0, MAX_CODE)
      .matchAll(
        /(?:^|[\n;|:+\s])(?:!|\\!|\.shell\s|\.system\s|shell\s|system\s|pipe\s|call system\()\s*["']?([^\n]+)/g,
      ),
  ].map(([, command = ""]) => command.replace(/["')\s]+$/, ""));
}
