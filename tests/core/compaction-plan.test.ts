import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { fairCap, planCut, sum } from "../../core/compaction-plan.ts";
import { type Message, textOf, userMessage } from "../../core/message.ts";
import { estimateTokens } from "../../core/tokens.ts";
import { assistant, call } from "../fakes/model.ts";
import { conversation, image, isWhole, result } from "./conversations.ts";

const tokens = (messages: readonly Message[]) => sum(messages.map(estimateTokens));

describe("planCut()", () => {
  test("keeps what fits, newest first, and parts no call from its results", () => {
    const keep = fc.integer({ min: 1, max: 4000 });
    fc.assert(
      fc.property(conversation, keep, (messages, keepTokens) => {
        const cut = planCut(messages, keepTokens, estimateTokens);
        if (cut === undefined) return;
        expect(messages.slice(0, cut.firstKeptIndex)).toEqual([...cut.older]);
        expect(cut.kept.length).toBe(messages.length - cut.firstKeptIndex);
        expect(isWhole(cut.older) && isWhole(cut.kept)).toBe(true);
        expect(cut.kept[0]?.role).not.toBe("tool");
        if (cut.shortened === 0) expect(cut.kept).toEqual(messages.slice(cut.firstKeptIndex));
        if (keepTokens >= 400) expect(tokens(cut.kept)).toBeLessThanOrEqual(keepTokens);
      }),
    );
  });

  test("has nothing to cut of what it kept", () => {
    fc.assert(
      fc.property(conversation, fc.integer({ min: 400, max: 4000 }), (messages, keepTokens) => {
        const cut = planCut(messages, keepTokens, estimateTokens);
        expect(planCut(cut?.kept ?? messages, keepTokens, estimateTokens)).toBeUndefined();
      }),
    );
  });

  test("has nothing to cut of nothing, or of what fits", () => {
    expect(planCut([], 100, estimateTokens)).toBeUndefined();
    expect(planCut([userMessage("hello")], 100, estimateTokens)).toBeUndefined();
  });

  test("cuts a single result of a megabyte inside, head and tail kept, as JSON", () => {
    const output = `BEGIN${"x".repeat(1_000_000)}END`;
    const messages = [
      userMessage("look"),
      assistant("", [call("c1", "run_shell", {})]),
      result("c1", output),
    ];
    const cut = planCut(messages, 2048, estimateTokens);
    expect(cut).toMatchObject({ firstKeptIndex: 1, shortened: 1 });
    expect(tokens(cut?.kept ?? [])).toBeWithin(1024, 2049);
    const kept = cut?.kept[1];
    const said = kept?.role === "tool" ? textOf(kept.content) : "";
    expect(JSON.parse(said).result.stdout).toMatch(/^BEGINx+\n\[… \d+ characters left out …\]\nx+END$/);
  });

  test("cuts long arguments inside and drops what the provider tied to them", () => {
    const long = call("c1", "write_file", { path: "/a", content: "y".repeat(100_000) });
    const asked = { ...assistant("", [long], "thought"), extra: { origin: "o", fields: {} } };
    const cut = planCut([asked, result("c1", "ok")], 1000, estimateTokens);
    const kept = cut?.kept[0];
    expect(kept?.role === "assistant" && kept.extra === undefined && kept.reasoning === undefined).toBe(true);
    const args = kept?.role === "assistant" ? JSON.parse(kept.tool_calls[0]?.arguments ?? "") : {};
    expect(args.path).toBe("/a");
    expect(args.content).toContain("characters left out");
    expect(cut?.kept[1]).toEqual(result("c1", "ok"));
  });

  test("replaces images that do not fit with a note", () => {
    const cut = planCut([{ role: "user", content: [image, image] }], 2000, estimateTokens);
    const note = { type: "text", text: "[image left out to save room]" } as const;
    expect(cut?.kept).toEqual([{ role: "user", content: [note, note] }]);
  });

  test("looks at no more messages than it needs", () => {
    const messages = Array.from({ length: 100_000 }, (_, index) => userMessage(`message ${index}`));
    let looked = 0;
    planCut(messages, 2048, (message) => {
      looked += 1;
      return estimateTokens(message);
    });
    expect(looked).toBeLessThan(400);
  });
});

test("fairCap() takes from the longest first", () => {
  expect(fairCap([10, 20, 1000], 130)).toBe(100);
  expect(fairCap([500, 20, 1000], 220)).toBe(100);
  expect(fairCap([10, 20], 100)).toBe(20);
  expect(fairCap([], 100)).toBe(100);
});
