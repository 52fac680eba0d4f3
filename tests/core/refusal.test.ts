import { describe, expect, test } from "bun:test";
import { approvalId } from "../../core/id.ts";
import { refusalOf } from "../../core/policy/refusal.ts";
import { approvalDesk } from "../../core/runtime/approval-desk.ts";
import { CONFIRM_ALL, DENY_LITTLE } from "../fakes/approver.ts";
import { fakeHost } from "../fakes/host.ts";
import { needFor } from "../fakes/tools.ts";

const urlNeed = (url: string) => ({ ...needFor(url), kind: "url" }) as const;

describe("refusalOf()", () => {
  test("says why a URL is never fetched, and nothing about one that may be", async () => {
    expect(await refusalOf(urlNeed("http://127.0.0.1:8080/"), DENY_LITTLE)).toBe(
      'Cannot fetch "http://127.0.0.1:8080/": 127.0.0.1 is a loopback address',
    );
    expect(await refusalOf(urlNeed("https://example.com/"), DENY_LITTLE)).toBeUndefined();
    expect(await refusalOf(needFor("curl http://127.0.0.1/"), DENY_LITTLE)).toBeUndefined();
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
