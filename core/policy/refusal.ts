import type { Need, ShellNeed } from "../tool.ts";
import type { Caution } from "./approval.ts";
import type { ShellJudgement, ShellRules } from "./shell/judge.ts";
import type { UrlRules } from "./urls.ts";

/** What no approval can lift, for each kind of need. */
export type DenyRules = { readonly shell: ShellRules; readonly urls: UrlRules };

export type Ruling =
  | { readonly type: "denied"; readonly reason: string }
  | { readonly type: "open"; readonly caution: Caution };

/** Whether a need is never granted, whoever is asked, or else how careful to be. Rules are loaded when needed. */
export async function ruleOn(need: Need, rules: DenyRules): Promise<Ruling> {
  switch (need.kind) {
    case "shell":
      return ruleOnCommand(need, rules.shell);
    // Judged on the target, where links lead, when the call was settled.
    case "file":
      return { type: "open", caution: "usual" };
    case "url":
      return ruleOnUrl(need.subject, rules.urls);
  }
}

async function ruleOnUrl(url: string, rules: UrlRules): Promise<Ruling> {
  const { judgeUrl } = await import("./urls.ts");
  const verdict = judgeUrl(url, rules);
  return verdict.type === "denied"
    ? { type: "denied", reason: verdict.reason }
    : { type: "open", caution: "usual" };
}

async function ruleOnCommand(need: ShellNeed, rules: ShellRules): Promise<Ruling> {
  const { judgeShell } = await import("./shell/judge.ts");
  const judged = judgeShell(need.subject, rules);
  if (judged.verdict === "deny") return { type: "denied", reason: refusalText(judged) };
  return { type: "open", caution: cautionWith(need, judged) };
}

/** What the model says of its own command can raise caution, never lower it. */
function cautionWith({ risk, mutation, privesc }: ShellNeed, judged: ShellJudgement): Caution {
  if (!judged.readable) return "person";
  if (judged.verdict === "ask") return "always";
  return judged.readOnly && risk === "low" && !mutation && !privesc ? "harmless" : "usual";
}

/** Which rule, why, and what the user can do. */
export const refusalText = ({ rule, reason }: ShellJudgement): string =>
  rule === "shell_denylist"
    ? `Rule "${rule}": ${reason}. No approval lifts it; the user can take the pattern out of the configuration`
    : `Rule "${rule}": ${reason}. No approval lifts it; the user can run the command in a terminal of their own`;
