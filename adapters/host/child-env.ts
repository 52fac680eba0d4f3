const SECRET_NAME = /KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL/i;

/** Variables that make a program load somebody's code. */
const LOADS_CODE = /^(BUN_|LD_|DYLD_|NODE_OPTIONS$)/;

/** What child processes inherit: no keys of any kind, nothing that loads code into them. */
export function childEnv(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || SECRET_NAME.test(name) || LOADS_CODE.test(name)) continue;
    kept[name] = value;
  }
  return kept;
}
