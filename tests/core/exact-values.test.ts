import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { splitSummary, summaryText } from "../../core/compaction-summary.ts";
import { type ExactValue, exactValues, KINDS } from "../../core/exact-values.ts";
import { userMessage } from "../../core/message.ts";
import { digest } from "../../core/statement.ts";
import { numbersIn, quotedIn, valuesIn } from "../../core/value-shapes.ts";
import { assistant, call } from "../fakes/model.ts";
import { conversation, result } from "./conversations.ts";

describe("valuesIn()", () => {
  test.each([
    ["Look at /srv/app/config.yaml, please.", ["/srv/app/config.yaml"]],
    ["in ~/notes and ./run.sh or ../x/y", ["~/notes", "./run.sh", "../x/y"]],
    ["core/loop.ts and/or src/a/b", ["core/loop.ts", "src/a/b"]],
    ["C:\\Users\\ada\\x.txt", ["C:\\Users\\ada\\x.txt"]],
    ["see https://a.example/b?c=d#e.", ["https://a.example/b?c=d#e"]],
    ["db1.internal:5432 and 10.0.0.7:80 at 12:30", ["db1.internal:5432", "10.0.0.7:80"]],
    ["id 3f2b8c1e-9d4a-4e6b-8f10-2a7c5d9e0b13!", ["3f2b8c1e-9d4a-4e6b-8f10-2a7c5d9e0b13"]],
    ["commit f62c5ef, ticket INC-4821, v1.2.3", ["f62c5ef", "INC-4821", "v1.2.3"]],
    ["--config=/etc/x.conf (report.csv)", ["/etc/x.conf", "report.csv"]],
    ["ada@db1.example", ["ada@db1.example"]],
    ["Nothing here, e.g. no value at all. Really?", []],
  ])("%s", (prose, values) => expect(valuesIn(prose)).toEqual(values));

  test("takes time in proportion to a text without any gap", () => {
    for (const long of ["a".repeat(2_000_000), "/a".repeat(500_000), "a-1".repeat(500_000)]) {
      const startedMs = performance.now();
      expect(valuesIn(long)).toEqual([]);
      expect(performance.now() - startedMs).toBeLessThan(500);
    }
  });
});

test("quotedIn() and numbersIn() find what people point out", () => {
  expect(quotedIn("name it \"blue whale\" or `x y` or 'z z', don't ask, it's fine")).toEqual([
    "blue whale",
    "x y",
    "z z",
  ]);
  expect(numbersIn("account 99182733 at 12:30")).toEqual(["99182733"]);
});

test("digest() keeps the beginning, the rules and the values of what is too long", () => {
  const filler = "It was a long day and much was said. ".repeat(40);
  const prose = `Mend the build. ${filler}Never touch /srv/prod. ${filler}It is in lib/deep/x.ts today. ${filler}`;
  const short = digest(prose, 300);
  expect(short.length).toBeLessThanOrEqual(300);
  expect(short).toStartWith("Mend the build.");
  expect(short).toEndWith("…\nNever touch /srv/prod.\nlib/deep/x.ts");
  expect(digest("short", 300)).toBe("short");
});

test("digest() keeps what is around a rule in a sentence without end", () => {
  const prose = `Begin ${"word ".repeat(500)}never touch /srv/prod ${"word ".repeat(500)}`;
  expect(digest(prose, 400)).toContain("word never touch /srv/prod word");
});

describe("exactValues()", () => {
  test("finds what the user said, named, what ran and what was seen", () => {
    const messages = [
      userMessage("Deploy to db1:5432"),
      assistant("", [
        call("c1", "run_shell", { command: "ls /opt" }),
        call("c2", "run_shell", { command: "false" }),
      ]),
      result("c1", "/opt/tool\n/opt/other"),
      result("c2", "", { is_error: true }),
      userMessage("Never restart it"),
    ];
    expect(exactValues(messages)).toEqual([
      { kind: "task", text: "Deploy to db1:5432" },
      { kind: "user", text: "Never restart it" },
      { kind: "command", text: "ls /opt" },
      { kind: "seen", text: "/opt/tool" },
      { kind: "seen", text: "/opt/other" },
    ]);
  });

  test("keeps the first request and the rules when much else was said", () => {
    const chat = Array.from({ length: 200 }, (_, index) => userMessage(`Remark ${index} about nothing much`));
    const values = exactValues([userMessage("Make it so"), userMessage("Never use sudo"), ...chat]);
    const said = values.map(({ text }) => text);
    expect(said.slice(0, 3)).toEqual(["Make it so", "Never use sudo", "Remark 0 about nothing much"]);
    expect(said.findLast((text) => text.startsWith("Remark"))).toBe("Remark 199 about nothing much");
    const later = exactValues(chat.slice(0, 100), values).map(({ text }) => text);
    expect(later.slice(0, 2)).toEqual(["Make it so", "Never use sudo"]);
  });

  test("keeps what was repeated before what was seen once", () => {
    const once = Array.from({ length: 100 }, (_, index) => result("c", `/once/number-${index}`));
    const values = exactValues([result("c", "/often"), result("c", "/often"), ...once], [], {
      maxChars: 600,
    });
    expect(values.map(({ text }) => text)).toContain("/often");
    expect(values.map(({ text }) => text)).not.toContain("/once/number-0");
  });

  test("names values when the message they are in no longer fits", () => {
    const chat = Array.from({ length: 60 }, (_, index) => userMessage(`Never say remark ${index} out loud`));
    const first = exactValues([
      userMessage("Begin"),
      userMessage("Use /x/y/z.conf for whatever is said out loud from now on"),
    ]);
    expect(first).toEqual([
      { kind: "task", text: "Begin" },
      { kind: "user", text: "Use /x/y/z.conf for whatever is said out loud from now on" },
    ]);
    expect(exactValues(chat, first)).toContainEqual({ kind: "stated", text: "/x/y/z.conf" });
  });

  test("stays in its room whatever is said, and comes back from its text as it was", () => {
    fc.assert(
      fc.property(conversation, fc.integer({ min: 0, max: 3000 }), (messages, maxChars) => {
        const values = exactValues(messages, [], { maxChars });
        const written = summaryText({ narrative: "", values });
        expect(written.length).toBeLessThanOrEqual(maxChars + 20);
        expect(splitSummary(written).values).toEqual(values);
      }),
    );
  });
});

test("splitSummary() gets back what summaryText() was given, also against lookalikes", () => {
  const values: readonly ExactValue[] = KINDS.map(({ kind }) => ({
    kind,
    text: "one\n- seen: two\nKept word for word:\n\n  three",
  }));
  const summary = summaryText({ narrative: "Goal: x\nKept word for word:\n- seen: /false", values });
  expect(splitSummary(summary)).toEqual({ narrative: "Goal: x\nExact values:\n- seen: /false", values });
  expect(splitSummary("only words")).toEqual({ narrative: "only words", values: [] });
  expect(splitSummary("")).toEqual({ narrative: "", values: [] });
});
