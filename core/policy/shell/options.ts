/** Which options of a program take their value from the next word. */
export type OptionSpec = {
  /** Letters: `"nu"` for `-n N` and `-u NAME`. */
  readonly short?: string;
  readonly long?: readonly string[];
};

export type SplitArguments = {
  /** Options with their values as given: `-n`, `--user=x`. */
  readonly options: readonly string[];
  /** The value of each option that has one: letter or long name → values. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly operands: readonly string[];
  /** Where in the arguments the first operand stands. */
  readonly firstOperand: number;
};

/** Splits arguments as getopt does. `stopAtOperand`: what follows the first operand is its own command. */
export function splitArguments(
  args: readonly string[],
  spec: OptionSpec = {},
  { stopAtOperand }: { readonly stopAtOperand: boolean } = { stopAtOperand: false },
): SplitArguments {
  const options: string[] = [];
  const values = new Map<string, string[]>();
  const operands: string[] = [];
  let firstOperand = args.length;
  const give = (name: string, value: string): void => {
    const given = values.get(name) ?? [];
    given.push(value);
    values.set(name, given);
  };
  const operand = (from: number, upTo: number): void => {
    firstOperand = Math.min(firstOperand, from);
    for (let at = from; at < upTo; at++) operands.push(args[at] ?? "");
  };
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") {
      operand(at + 1, args.length);
      break;
    }
    if (!arg.startsWith("-") || arg === "-") {
      operand(at, stopAtOperand ? args.length : at + 1);
      if (stopAtOperand) break;
      continue;
    }
    options.push(arg);
    const named = arg.startsWith("--") ? arg.slice(2) : valueLetter(arg, spec.short ?? "");
    if (arg.startsWith("--")) {
      const equals = arg.indexOf("=");
      if (equals !== -1) give(arg.slice(2, equals), arg.slice(equals + 1));
      else if (spec.long?.includes(named)) give(named, args[++at] ?? "");
    } else if (named !== "") {
      const rest = arg.slice(arg.indexOf(named, 1) + 1);
      give(named, rest === "" ? (args[++at] ?? "") : rest);
    }
  }
  return { options, values, operands, firstOperand };
}

/** The first letter of a cluster that takes a value: the rest of the cluster is that value. */
function valueLetter(cluster: string, letters: string): string {
  for (const letter of cluster.slice(1)) if (letters.includes(letter)) return letter;
  return "";
}

/** Whether one of the options is this letter, alone or in a cluster. */
export const hasLetter = (options: readonly string[], letters: string): boolean =>
  options.some(
    (option) => !option.startsWith("--") && [...option.slice(1)].some((letter) => letters.includes(letter)),
  );

/** Whether one of the options is the beginning of this long one, as getopt allows. */
export const hasLong = (options: readonly string[], ...names: readonly string[]): boolean =>
  options.some((option) => {
    if (!option.startsWith("--")) return false;
    const given = option.slice(2).split("=")[0] ?? "";
    return given !== "" && names.some((name) => name.startsWith(given));
  });
