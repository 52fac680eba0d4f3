import { describe, expect, test } from "bun:test";
import { summaryMessage } from "../../core/compaction-summary.ts";
import { entryId } from "../../core/id.ts";
import { NO_USAGE, text, textOf, userMessage } from "../../core/message.ts";
import {
  lastModel,
  messagesOn,
  pathOf,
  type SessionTree,
  sessionReader,
  titleOf,
  totalsOn,
} from "../../core/session-tree.ts";
import { chain, fileOf, HEADER, readText, reply, toolResult, treeOf, user } from "./session-lines.ts";

const TALK = [user("hi"), reply("", ["c1"]), toolResult("c1"), reply("done")] as const;

type Reading = { readonly n: number; readonly end: string; readonly warnings: readonly string[] };

/** What was said on the way to the tip, in a word each. */
const said = (tree: SessionTree, tip = tree.tip): readonly string[] =>
  messagesOn(tree, tip).map((message) =>
    typeof message.content === "string" ? message.content : textOf(message.content),
  );

describe("readSession()", () => {
  test("reads every type of entry", () => {
    const entries = chain([
      ...TALK,
      { type: "model_change", profile: "p", model: "m" },
      {
        type: "approval",
        call_id: "c1",
        tool: "t",
        subject: "ls",
        decision: { type: "denied", by: "user", reason: "no" },
      },
      { type: "label", label: "here", entry_id: "0001" },
      { type: "title", title: "A title" },
      { type: "compaction", summary: "s", first_kept_id: "0003", tokens_before: 9, tokens_after: 2 },
      { type: "leaf", tip: "0003" },
    ]);
    const tree = treeOf(fileOf(entries));
    expect(tree.header).toEqual(HEADER);
    expect(JSON.parse(JSON.stringify(tree.nodes.map(({ entry }) => entry)))).toEqual([...entries]);
    expect([tree.tip, tree.nextIndex, tree.warnings, tree.end]).toEqual([entryId(3), 10, [], "whole"]);
  });

  test("passes over fields it does not know, and keeps the place of types it does not know", () => {
    const tree = treeOf(
      fileOf(chain([{ ...user("one"), colour: "red" }, { type: "dream", of: "sheep" }, user("two")]), {
        ...HEADER,
        more: 1,
      }),
    );
    expect([said(tree), tree.warnings]).toEqual([["one", "two"], []]);
    expect(tree.nodes.map(({ entry }) => entry.type)).toEqual(["message", "unknown", "message"]);
  });

  test.each<readonly [fact: string, text: string, kind: string]>([
    ["nothing", "", "corrupt"],
    ["zeros", "\0".repeat(400), "corrupt"],
    ["a torn header", JSON.stringify(HEADER).slice(0, 40), "corrupt"],
    ["another object", '{"t":"meta","id":"s1"}\n', "corrupt"],
    ["a list", "[]\n", "corrupt"],
    ["a header whose id is a path", fileOf([], { ...HEADER, id: "../../.bashrc" }), "corrupt"],
    ["a newer version", fileOf(chain(TALK), { ...HEADER, v: 2 }), "newer"],
    ["a much newer version", fileOf(["what is this"], { ...HEADER, v: 999 }), "newer"],
    ["an impossible version", fileOf([], { ...HEADER, v: 0 }), "corrupt"],
  ])("refuses %s", (_fact, file, kind) => {
    const read = readText(file);
    expect(read.ok ? "read" : read.error.kind).toBe(kind);
  });

  const whole = fileOf(chain(TALK));
  test.each<readonly [fact: string, text: string, found: Reading]>([
    [
      "a torn last line",
      `${whole}{"id":"0004","par`,
      { n: 4, end: "torn", warnings: ["Line 6 breaks off and is left out"] },
    ],
    [
      "a tail of zeros",
      `${whole}${"\0".repeat(99)}`,
      { n: 4, end: "torn", warnings: ["Line 6 breaks off and is left out"] },
    ],
    ["a last line without its end", whole.slice(0, -1), { n: 4, end: "unended", warnings: [] }],
    ["blank lines", whole.replaceAll("\n", "\n\n"), { n: 4, end: "whole", warnings: [] }],
    ["other line ends", whole.replaceAll("\n", "\r\n"), { n: 4, end: "whole", warnings: [] }],
    ["a byte order mark", `\ufeff${whole}`, { n: 4, end: "whole", warnings: [] }],
    [
      "a header that is there twice",
      whole + fileOf([]),
      { n: 4, end: "whole", warnings: ["Line 6 is damaged and is left out"] },
    ],
  ])("reads %s", (_fact, file, found) => {
    const tree = treeOf(file);
    const reading: Reading = { n: messagesOn(tree).length, end: tree.end, warnings: tree.warnings };
    expect(reading).toEqual(found);
  });

  test("reads on behind a damaged line, and says which it was", () => {
    const [one, two, three, four] = chain(["one", "two", "three", "four"].map(user));
    const tree = treeOf(fileOf([one ?? {}, "\0\0garbage", three ?? {}, four ?? {}]));
    expect([said(tree), tree.warnings]).toEqual([
      ["one", "three", "four"],
      ["Line 3 is damaged and is left out"],
    ]);
    expect(two).toBeDefined();
  });

  test("leaves out a message whose role nobody knows", () => {
    const tree = treeOf(fileOf(chain([user("one"), { ...user("x"), role: "root" }, user("two")])));
    expect([said(tree), tree.warnings]).toEqual([["one", "two"], ["Line 3 is damaged and is left out"]]);
  });

  test("keeps the entries of a file whose first line is lost", () => {
    const tree = treeOf(fileOf(chain(TALK)).replace(/^.*\n/, "gone\n"));
    expect([messagesOn(tree).length, tree.warnings]).toEqual([4, ["Line 1 is damaged and is left out"]]);
  });

  test("takes an entry without its parent to follow", () => {
    const [one, two] = chain([user("one"), user("two")]);
    const lost = { ...chain([user("three")])[0], id: "0009", parentId: "0008" };
    const tree = treeOf(fileOf([one ?? {}, two ?? {}, lost]));
    expect(said(tree)).toEqual(["one", "two", "three"]);
    expect(tree.warnings).toEqual(['Line 4 hangs on "0008", which is not there; it is taken to follow']);
    expect(tree.nextIndex).toBe(10);
  });

  test("knows no rings: what hangs on a later entry, or on itself, is taken to follow", () => {
    const ring = [
      { ...user("one"), id: "0000", parentId: "0001", ts: 1 },
      { ...user("two"), id: "0001", parentId: "0000", ts: 2 },
      { ...user("three"), id: "0002", parentId: "0002", ts: 3 },
    ];
    const tree = treeOf(fileOf(ring));
    expect([said(tree), tree.warnings.length]).toEqual([["one", "two", "three"], 2]);
  });

  test("keeps both of two entries with one id, and only one of the same line twice", () => {
    const [one, two] = chain([user("one"), user("two")]);
    const other = { ...chain([user("a"), user("other")])[1] };
    const tree = treeOf(fileOf([one ?? {}, two ?? {}, two ?? {}, other]));
    expect(said(tree)).toEqual(["one", "two", "other"]);
    expect(tree.warnings).toEqual(['Line 5 has the id "0001" of line 3; it is taken to follow']);
  });

  test("is not moved by keys that name the prototype", () => {
    const line = JSON.stringify(chain([user("one")])[0]).replace("{", '{"__proto__":{"polluted":1},');
    const tree = treeOf(fileOf([line]));
    expect([said(tree), "polluted" in {}]).toEqual([["one"], false]);
  });
});

describe("sessionReader()", () => {
  test("can be read on after it was looked at", () => {
    const [one, two] = chain([user("one"), user("two")]).map((entry) => JSON.stringify(entry));
    const reader = sessionReader();
    reader.add(JSON.stringify(HEADER), "ended");
    reader.add(one ?? "", "ended");
    const before = reader.tree();
    expect(before.ok ? said(before.value) : []).toEqual(["one"]);
    reader.add(two ?? "", "ended");
    const after = reader.tree();
    expect(after.ok ? said(after.value) : []).toEqual(["one", "two"]);
  });
});

describe("pathOf()", () => {
  const branches = treeOf(
    fileOf([
      ...chain([user("one"), user("left"), user("further left")]),
      { id: "0003", parentId: "0002", ts: 3, type: "leaf", tip: "0000" },
      { ...user("right"), id: "0004", parentId: "0000", ts: 4 },
    ]),
  );

  test("follows the branch of the tip", () => {
    expect(said(branches)).toEqual(["one", "right"]);
    expect(pathOf(branches).map(({ entry }) => entry.id)).toEqual([entryId(0), entryId(4)]);
  });

  test("follows any other branch that is asked for", () => {
    expect(said(branches, entryId(2))).toEqual(["one", "left", "further left"]);
    expect([pathOf(branches, entryId(99)), pathOf(branches, null)]).toEqual([[], []]);
  });

  test("begins anew when the tip was moved before the first entry", () => {
    const tree = treeOf(
      fileOf([...chain([user("one")]), { id: "0001", parentId: "0000", ts: 1, type: "leaf", tip: null }]),
    );
    expect([tree.tip, said(tree)]).toEqual([null, []]);
  });

  test("knows no ring of a move to itself", () => {
    const self = { id: "0001", parentId: "0000", ts: 1, type: "leaf", tip: "0001" };
    expect(said(treeOf(fileOf([...chain([user("one")]), self])))).toEqual(["one"]);
  });

  test("stays where it was when the tip was moved to nowhere", () => {
    const tree = treeOf(
      fileOf([...chain([user("one")]), { id: "0001", parentId: "0000", ts: 1, type: "leaf", tip: "zzzz" }]),
    );
    expect([said(tree), tree.warnings.length]).toEqual([["one"], 1]);
  });
});

describe("messagesOn()", () => {
  test("gives messages as they were sent, without what only the file needs", () => {
    const extra = { origin: "responses@host", fields: { reasoning: [1, 2] } };
    const tree = treeOf(
      fileOf(
        chain([
          user("hi"),
          reply("a", ["c1"], { reasoning: "r", extra, usage: NO_USAGE, model: "m", profile: "p" }),
          toolResult("c1"),
        ]),
      ),
    );
    expect(messagesOn(tree)).toEqual([
      userMessage("hi"),
      {
        role: "assistant",
        content: "a",
        reasoning: "r",
        tool_calls: [{ id: "c1", name: "echo", arguments: "{}" }],
        extra,
      },
      { role: "tool", tool_call_id: "c1", name: "echo", content: [text("ok")], is_error: false },
    ]);
  });

  test("answers a dangling call", () => {
    const messages = messagesOn(treeOf(fileOf(chain([user("hi"), reply("", ["c1"])]))));
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  });

  const compaction = (first: string | null, summary = "so far") => ({
    type: "compaction",
    summary,
    first_kept_id: first,
    tokens_before: 100,
    tokens_after: 10,
  });
  const bodies = [user("one"), reply("two"), user("three"), reply("four")];
  const short = textOf(summaryMessage("so far").content);

  test.each<readonly [fact: string, entries: readonly object[], said: readonly string[]]>([
    [
      "a summary stands for what was not kept",
      [...bodies, compaction("0002"), user("five")],
      [short, "three", "four", "five"],
    ],
    ["nothing may have been kept", [...bodies, compaction(null), user("five")], [short, "five"]],
    [
      "the last summary counts",
      [...bodies, compaction("0002", "earlier"), user("five"), compaction("0005"), user("six")],
      [short, "five", "six"],
    ],
    [
      "a summary whose kept part is lost is not used",
      [...bodies, compaction("zzzz"), user("five")],
      ["one", "two", "three", "four", "five"],
    ],
    [
      "an empty summary is not said",
      [...bodies, compaction("0002", ""), user("five")],
      ["three", "four", "five"],
    ],
  ])("%s", (_fact, entries, expected) => {
    expect(said(treeOf(fileOf(chain(entries))))).toEqual([...expected]);
  });
});

describe("totalsOn()", () => {
  test("sums every turn, also those of branches that were left", () => {
    const usage = { ...NO_USAGE, input_tokens: 3, output_tokens: 2, total_tokens: 5 };
    const tree = treeOf(
      fileOf([
        ...chain([user("one"), reply("a", ["c1", "c2"], { usage })]),
        { ...reply("b", [], { usage }), id: "0002", parentId: "0000", ts: 2 },
        { ...reply("c"), id: "0003", parentId: "0002", ts: 3 },
      ]),
    );
    expect(totalsOn(tree)).toEqual({
      usage: { ...NO_USAGE, input_tokens: 6, output_tokens: 4, total_tokens: 10 },
      turns: 3,
      tool_calls: 2,
    });
  });

  test("does not count what is no number of tokens", () => {
    const usage = { ...NO_USAGE, input_tokens: -1, output_tokens: 1e300, total_tokens: "x" };
    expect(totalsOn(treeOf(fileOf(chain([reply("a", [], { usage })])))).usage).toEqual(NO_USAGE);
  });
});

describe("titleOf()", () => {
  test.each<readonly [fact: string, entries: readonly object[], title: string]>([
    ["is what the user said first", [user("fix\n  the\ttests"), user("more")], "fix the tests"],
    ["is cut", [user("x".repeat(100))], `${"x".repeat(79)}…`],
    [
      "is the last that was given",
      [user("a"), { type: "title", title: "t1" }, { type: "title", title: "t2" }],
      "t2",
    ],
    ["cannot steer a terminal", [user("\u001b[2Jred\u0007")], "red\\x07"],
    ["is empty when nobody said anything", [reply("a")], ""],
  ])("%s", (_fact, entries, title) => {
    expect(titleOf(treeOf(fileOf(chain(entries))))).toBe(title);
  });
});

describe("lastModel()", () => {
  test("is the last that answered or was switched to, on the way to the tip", () => {
    const answered = reply("a", [], { profile: "p1", model: "m1" });
    const tree = treeOf(
      fileOf(chain([user("a"), answered, { type: "model_change", profile: "p2", model: "m2" }])),
    );
    expect([lastModel(tree), lastModel(tree, entryId(1)), lastModel(tree, entryId(0))]).toEqual([
      { profile: "p2", model: "m2" },
      { profile: "p1", model: "m1" },
      undefined,
    ]);
  });
});
