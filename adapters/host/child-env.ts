const SECRET_NAME = /KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL/i;

/** What child processes inherit: no keys of any kind, nothing that steers Bun inside a child. */
export function childEnv(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || SECRET_NAME.test(name) || name.startsWith("BUN_")) continue;
    kept[name] = value;
  }
  return kept;
}
