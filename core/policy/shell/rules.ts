import { CAUTION_RULES, judgeVariables } from "./caution.ts";
import { ACCOUNT_RULES } from "./deny-accounts.ts";
import { judgeCode } from "./deny-code.ts";
import { DISK_RULES } from "./deny-disk.ts";
import { judgeInterpreter, judgeReverseShell } from "./deny-download.ts";
import { judgeLeak, judgeSecretRead } from "./deny-leaks.ts";
import { POWER_RULES } from "./deny-power.ts";
import { REMOVAL_RULES } from "./deny-removal.ts";
import { judgeRedirects, WRITE_RULES } from "./deny-writes.ts";
import { hasHole } from "./hole.ts";
import { ask, type Finding, type Invocation, stricter } from "./invocation.ts";
import type { Rule, RuleTable } from "./rule.ts";

const TABLES: readonly RuleTable[] = [
  REMOVAL_RULES,
  WRITE_RULES,
  DISK_RULES,
  POWER_RULES,
  ACCOUNT_RULES,
  CAUTION_RULES,
];

/** For every command, whatever its name. */
const GENERAL: readonly Rule[] = [
  judgeName,
  judgeRedirects,
  judgeInterpreter,
  judgeReverseShell,
  judgeLeak,
  judgeCode,
  judgeVariables,
  judgeSecretRead,
];

/** The strictest that any rule says about one command. */
export function judgeInvocation(invocation: Invocation, home: string): Finding | undefined {
  let found: Finding | undefined;
  for (const table of TABLES) {
    const rule = table.get(invocation.name);
    if (rule) found = stricter(found, rule(invocation, home));
    if (found?.verdict === "deny") return found;
  }
  for (const rule of GENERAL) {
    found = stricter(found, rule(invocation, home));
    if (found?.verdict === "deny") return found;
  }
  return found;
}

/** A program whose name is only known when it runs, or is not what it looks like. */
function judgeName({ argv, name }: Invocation): Finding | undefined {
  const [word] = argv;
  if (word === undefined) return undefined;
  if (hasHole(name) || (/[*?[]/.test(name) && !/^\[\[?$/.test(name))) {
    return ask("cannot-tell", "Which program would run is not known before it runs");
  }
  return /[^\x20-\x7e]/.test(word)
    ? ask("look-alike", "The name of the program has characters that may look like others")
    : undefined;
}
