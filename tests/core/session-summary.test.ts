import { describe, expect, test } from "bun:test";
import { showsLastEntry, summarise, summariseSnapshot } from "../../core/session-summary.ts";
import { chain, fileOf, HEADER, reply, user } from "./session-lines.ts";

const answered = (model: string) => reply("a", [], { model, profile: "p" });

describe("summarise()", () => {
  test("counts exactly in a file that it sees whole", () => {
    const head = fileOf(chain([user("fix\nit"), answered("m1"), user("more"), answered("m2")]));
    expect(summarise({ head }, "s1")).toEqual({
      title: "fix it",
      model: "m2",
      turns: { type: "exact", count: 2 },
      lastEntryMs: 1_800_000_000_003,
    });
  });

  test("sees both ends of a longer one and estimates the rest", () => {
    const bodies = Array.from({ length: 500 }, (_, index) =>
      index % 2 === 0 ? user(`q${index}`) : answered("m"),
    );
    const file = fileOf(chain(bodies));
    const ends = { head: file.slice(0, 4096), tail: file.slice(-4096) };
    const facts = summarise(ends, "s1");
    expect(facts).toEqual({
      title: "q0",
      model: "m",
      turns: { type: "about", count: facts.turns.count },
      lastEntryMs: 1_800_000_000_499,
    });
    expect(Math.abs(facts.turns.count - 250)).toBeLessThan(25);
  });

  test.each([
    ["plain", `${"word ".repeat(2000)}`, `${"word ".repeat(16).trim()}`.slice(0, 79)],
    ["cut inside an escape", `a"b${"\n\u0001é".repeat(2000)}`, 'a"b'],
  ])("takes the title from a first message that is longer than the head: %s", (_fact, text, begins) => {
    const head = fileOf(chain([user(text)]));
    for (const bytes of [4096, 4095, 4094, 4093, 4092, 4091]) {
      const { title } = summarise({ head: head.slice(0, bytes), tail: "" }, "s1");
      expect([title.startsWith(begins), title.length <= 80]).toEqual([true, true]);
    }
  });

  test("prefers the title that was given last", () => {
    const head = fileOf(chain([user("a"), { type: "title", title: "mine" }]));
    expect(summarise({ head }, "s1").title).toBe("mine");
  });

  test.each([
    ["nothing in it", "", "it does not begin like a session"],
    ["garbage", "garbage\n", "it does not begin like a session"],
    ["another id", fileOf([]), "it holds another session"],
    ["a newer version", fileOf([], { ...HEADER, v: 3 }), "it was made by a newer buddy"],
  ])("says why a file cannot be used: %s", (_fact, head, damage) => {
    expect(summarise({ head }, "other").damage).toBe(damage);
  });
});

test("showsLastEntry() needs one whole line behind the cut", () => {
  const [line = ""] = chain([user("x")]).map((entry) => JSON.stringify(entry));
  expect([showsLastEntry(`…half\n${line}\n`), showsLastEntry(`…half\n${line.slice(0, 20)}`)]).toEqual([
    true,
    false,
  ]);
});

describe("summariseSnapshot()", () => {
  const whole = JSON.stringify({
    version: 1,
    id: "s1",
    state: {
      messages: [
        { role: "user", content: "an old question" },
        { role: "assistant", content: "a" },
      ],
    },
  });

  test("reads a small one, and of a long one how it begins", () => {
    expect(summariseSnapshot({ head: whole }, "s1")).toEqual({
      title: "an old question",
      model: "",
      turns: { type: "exact", count: 1 },
    });
    expect(summariseSnapshot({ head: whole.slice(0, 80), tail: "]}}" }, "s1")).toMatchObject({
      turns: { type: "about" },
    });
  });

  test.each([
    ["torn", { head: whole.slice(0, -3) }],
    ["of another id", { head: whole.replace("s1", "s2") }],
    ["newer", { head: whole.replace('"version":1', '"version":9') }],
    ["long and torn", { head: whole, tail: "half" }],
    ["no object", { head: "[]" }],
  ])("marks one that is %s", (_fact, ends) => {
    expect(summariseSnapshot(ends, "s1").damage).toBeDefined();
  });
});
