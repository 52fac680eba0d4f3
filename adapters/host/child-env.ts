const SECRET_NAME = /KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL/i;

/** Variables that make a program load somebody's code. */
const LOADS_CODE = /^(BUN_|LD_|DYLD_|NODE_OPTIONS$)/;

export type EnvRules = {
  /** The user lets these through all the same, except what would make our own executable another program. */
  readonly pass?: readonly string[];
  /** Names that hold keys although they do not look so. */
  readonly hold?: readonly string[];
};

/** What child processes inherit: no keys of any kind, nothing that loads code into them. */
export function childEnv(
  env: Readonly<Record<string, string | undefined>>,
  { pass = [], hold = [] }: EnvRules = {},
): Readonly<Record<string, string>> {
  const isHeld = (name: string) => SECRET_NAME.test(name) || LOADS_CODE.test(name) || hold.includes(name);
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    const isKept = pass.includes(name) ? !name.startsWith("BUN_") : !isHeld(name);
    if (value !== undefined && isKept) kept[name] = value;
  }
  return kept;
}
