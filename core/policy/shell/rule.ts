import type { Finding, Invocation } from "./invocation.ts";

/** What one simple command means for the system it runs on. */
export type Rule = (invocation: Invocation, home: string) => Finding | undefined;

export type RuleTable = ReadonlyMap<string, Rule>;

/** The same rule under several names. */
export const named = (names: readonly string[], rule: Rule): readonly (readonly [string, Rule])[] =>
  names.map((name) => [name, rule] as const);

/** A finding for every call whose arguments, joined by blanks, have this in them. */
export const when =
  (pattern: RegExp, finding: Finding): Rule =>
  ({ argv }) =>
    pattern.test(argv.slice(1).join(" ")) ? finding : undefined;

/** Only asked for help, its version, or by one of these options for a look. */
export const onlyLooks = ({ argv }: Invocation, ...looks: readonly string[]): boolean =>
  argv.slice(1).some((arg) => arg === "--help" || arg === "--version" || looks.includes(arg));

export const placeOf = ({ cwd }: Invocation, home: string) => ({ home, cwd });
