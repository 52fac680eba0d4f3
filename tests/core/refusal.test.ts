import { describe, expect, test } from "bun:test";
import { approvalId } from "../../core/id.ts";
import type { Caution } from "../../core/policy/approval.ts";
import { ruleOn } from "../../core/policy/refusal.ts";
import { approvalDesk } from "../../core/runtime/approval-desk.ts";
import { CONFIRM_ALL, DENY_LITTLE } from "../fakes/approver.ts";
import { fakeHost } from "../fakes/host.ts";
import { needFor } from "../fakes/tools.ts";

const open = (caution: Caution) => ({ type: "open", caution }) as const;
const urlNeed = (url: string) => ({ ...needFor(url), kind: "url" }) as const;

describe("ruleOn()", () => {
  test("says why a URL is never fetched, and nothing about one that may be", async () => {
    expect(await ruleOn(urlNeed("http://127.0.0.1:8080/"), DENY_LITTLE)).toEqual({
      type: "denied",
      reason: 'Cannot fetch "http://127.0.0.1:8080/": 127.0.0.1 is a loopback address',
    });
    expect(await ruleOn(urlNeed("https://example.com/"), DENY_LITTLE)).toEqual(open("usual"));
  });
});

describe("ruleOn() a command", () => {
  const calm = { risk: "low", mutation: false, privesc: false } as const;

  test("says which rule denies it and what the user can do", async () => {
    expect(await ruleOn(needFor("rm -rf /"), DENY_LITTLE)).toEqual({
      type: "denied",
      reason:
        'Rule "remove-system": It would remove the root directory. No approval lifts it; the user can run the command in a terminal of their own',
    });
    const rules = { ...DENY_LITTLE, shell: { ...DENY_LITTLE.shell, denylist: ["Git  Push"] } };
    expect(await ruleOn(needFor("ls && git push origin"), rules)).toEqual({
      type: "denied",
      reason:
        'Rule "shell_denylist": It matches "Git  Push" of tools.shell_denylist. No approval lifts it; the user can take the pattern out of the configuration',
    });
  });

  test("is as careful as the command deserves", async () => {
    const cases = [
      ["ls -la", "harmless"],
      ["touch x", "usual"],
      ["git push --force", "always"],
      ['echo "not closed', "person"],
    ] as const;
    for (const [command, caution] of cases) {
      expect(await ruleOn({ ...needFor(command), ...calm }, DENY_LITTLE)).toEqual(open(caution));
    }
  });

  test("takes the model's word for more caution, never for less", async () => {
    for (const said of [
      { risk: "medium" },
      { risk: "high" },
      { mutation: true },
      { privesc: true },
    ] as const) {
      expect(await ruleOn({ ...needFor("ls"), ...calm, ...said }, DENY_LITTLE)).toEqual(open("usual"));
    }
    expect(await ruleOn({ ...needFor("rm x"), ...calm }, DENY_LITTLE)).toEqual(open("usual"));
  });
});

describe("approvalDesk()", () => {
  test("refuses by rule before the policy and before anyone is asked", async () => {
    for (const type of ["ask", "none", "all"] as const) {
      for (const url of [true, false]) {
        const { approver } = approvalDesk({
          host: fakeHost(),
          confirm: { ...CONFIRM_ALL, url },
          deny: DENY_LITTLE,
          policy: () => ({ type }),
          openApproval: () => approvalId(1),
        });
        expect(await approver.judge(urlNeed("http://[::1]/"))).toEqual({
          type: "denied",
          by: "rule",
          reason: 'Cannot fetch "http://[::1]/": [::1] is a loopback address',
        });
      }
    }
  });
});
