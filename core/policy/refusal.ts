import type { Need } from "../tool.ts";
import type { UrlRules } from "./urls.ts";

/** What no approval can lift, for each kind of need. */
export type DenyRules = { readonly urls: UrlRules };

/** Why a need is never granted, whoever is asked; undefined when it may be. The rules are loaded when they are needed. */
export async function refusalOf(need: Need, rules: DenyRules): Promise<string | undefined> {
  switch (need.kind) {
    case "shell":
      return undefined;
    // Judged on the target, where links lead, when the call was settled.
    case "file":
      return undefined;
    case "url":
      return refusedUrl(need.subject, rules.urls);
  }
}

async function refusedUrl(url: string, rules: UrlRules): Promise<string | undefined> {
  const { judgeUrl } = await import("./urls.ts");
  const verdict = judgeUrl(url, rules);
  return verdict.type === "denied" ? verdict.reason : undefined;
}
