import * as fc from "fast-check";

/** Another way to write a command, after which it still does what it did. */
type Rewrite = (command: string) => string;

const quoted = (command: string): string => `'${command.replaceAll("'", "'\\''")}'`;

/** The command as part of a longer one. A newline ends comments and here-documents that it may have. */
const WRAPPED: readonly Rewrite[] = [
  (one) => `ls; ${one}`,
  (one) => `ls -la && ${one}`,
  (one) => `false || ${one}`,
  (one) => `cat a | ${one}`,
  (one) => `${one}\nls`,
  (one) => `${one} | cat`,
  (one) => `pwd & ${one}`,
  (one) => `# look\n${one}`,
  (one) => `( ${one}\n)`,
  (one) => `{ ${one}\n}`,
  (one) => `if true; then ${one}\nfi`,
  (one) => `if ls; then pwd; else ${one}\nfi`,
  (one) => `for i in a b; do ${one}\ndone`,
  (one) => `while ${one}\ndo :; done`,
  (one) => `case a in (a) ${one}\n;; esac`,
  (one) => `echo $(${one}\n)`,
  (one) => `echo "$(${one}\n)"`,
  (one) => `cat <(${one}\n)`,
  (one) => `ls \${x:-$(${one}\n)}`,
  (one) => `[ "$(${one}\n)" ]`,
  (one) => `cat <<END\n$(${one}\n)\nEND`,
  (one) => `f() { ${one}\n}; f`,
  (one) => `sh -c ${quoted(one)}`,
  (one) => `bash -lc ${quoted(one)}`,
  (one) => `eval ${quoted(one)}`,
  (one) => `sudo -n sh -c ${quoted(one)}`,
  (one) => `env X=1 bash -c ${quoted(one)}`,
  (one) => `timeout 5 sh -c ${quoted(one)}`,
  (one) => `xargs -n1 sh -c ${quoted(one)} < list`,
  (one) => `find . -exec sh -c ${quoted(one.replaceAll("{}", "{''}"))} \\;`,
  (one) => `ssh host ${quoted(one)}`,
  (one) => `su -c ${quoted(one)}`,
  (one) => `sh <<'STOP'\n${one}\nSTOP`,
  (one) => `echo ${quoted(one)} | sh`,
  (one) => `kept=${quoted(one)}; eval "$kept"`,
  (one) => `trap ${quoted(one)} EXIT`,
];

/** Only words, blanks and paths: its letters may be written differently. */
const isPlain = (command: string): boolean => /^[a-z][\w ./-]*$/.test(command);

const RESPELLED: readonly Rewrite[] = [
  (one) => one.replaceAll(" ", "  "),
  (one) => one.replaceAll(" ", "\t"),
  (one) => one.replaceAll(" ", " \\\n "),
  (one) => `  ${one} `,
  (one) => one.replace(/^(\w)/, "$1''"),
  (one) => one.replace(/^(\w)/, '$1""'),
  (one) => one.replace(/^(\w)/, "\\$1"),
  (one) => one.replace(/^(\S+)/, "'$1'"),
  (one) => one.replace(/^(\S+)/, "$'$1'"),
  (one) => one.replace(/ (\S+)$/, ' "$1"'),
  (one) => one.replace(/ (\S+)$/, " '$1'"),
  (one) => one.replace(/(\S)$/, "\\$1"),
  (one) => one.replaceAll(" ", "$\u007bIFS}"),
];

const rewrite = fc.record({
  wrap: fc.constantFrom(...WRAPPED),
  respell: fc.constantFrom(...RESPELLED),
});

/** A command in other clothes: spelled differently where that can be done, then put inside others. */
export const disguised = (commands: readonly string[]): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom(...commands), fc.array(rewrite, { minLength: 1, maxLength: 3 }))
    .map(([command, rewrites]) =>
      rewrites.reduce((text, { wrap, respell }) => wrap(isPlain(text) ? respell(text) : text), command),
    );

const EDIT = fc.record({
  at: fc.nat(400),
  remove: fc.nat(3),
  insert: fc.constantFrom(
    ..."'\"`$\\(){}[]<>|&;#!*?~= \n\t\0a/-",
    "$(",
    "${",
    "<<",
    "<<<",
    "&&",
    "\u200b",
    "𝕣",
  ),
});

/** A command with characters taken out and put in: mostly nonsense. */
export const broken = (commands: readonly string[]): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom(...commands), fc.array(EDIT, { minLength: 1, maxLength: 6 }))
    .map(([command, edits]) =>
      edits.reduce((text, { at, remove, insert }) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + insert + text.slice(place + remove);
      }, command),
    );
