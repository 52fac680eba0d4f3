import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Reply, says } from "../fakes/endpoint.ts";
import { openRepl } from "./open-repl.ts";
import { noTmux } from "./terminal.ts";

setDefaultTimeout(60_000);

const ANSWERS = 50;
const SIZES = [
  [200, 50],
  [40, 12],
  [120, 30],
  [80, 24],
] as const;

/** Short lines, so that no width changes them: what is compared is whether they stay. */
const answer = (index: number): Reply => ({
  ...says(
    `Answer ${index}\n\n- item a${index}\n- item b${index}\n\n\`\`\`sh\necho ${index}\n\`\`\`\n\nEnd ${index}.`,
    12,
  ),
  paceMs: 1,
});

/** The conversation in the scrollback, without the live lines at its end. */
const printed = (text: string): string => text.slice(0, text.lastIndexOf("\n>")).trimEnd();

describe.skipIf(noTmux !== undefined)("what is printed", () => {
  test("stays as it is through fifty streamed answers with resizes", async () => {
    await using repl = await openRepl((_, index) => answer(index + 1), { columns: 80, rows: 24 });
    let before = "";
    for (let index = 1; index <= ANSWERS; index++) {
      await repl.enter(`ask ${index}`);
      const [columns, rows] = SIZES[index % SIZES.length] ?? [80, 24];
      await repl.resize(columns, rows);
      await repl.sees(new RegExp(`End ${index}\\.\\n\\n>$`, "m"));
      const after = printed(await repl.scrollback());
      expect(after.startsWith(before)).toBe(true);
      before = after;
    }
    const expected = Array.from({ length: ANSWERS }, (_, at) => at + 1).map((index) =>
      [
        `> ask ${index}`,
        `Answer ${index}`,
        `  • item a${index}\n  • item b${index}`,
        `┌─ sh\n│ echo ${index}\n└─`,
        `End ${index}.`,
      ].join("\n\n"),
    );
    expect(before.slice(before.indexOf("> ask 1"))).toBe(expected.join("\n\n"));
  });

  test("200×50 → 40×12 → 120×30 in the middle of a stream leaves nothing behind", async () => {
    const text = Array.from({ length: 12 }, (_, at) => `Paragraph ${at} with some words in it.`).join("\n\n");
    await using repl = await openRepl([{ ...says(text, 120), paceMs: 8 }], { columns: 200, rows: 50 });
    await repl.enter("go");
    await repl.sees("Paragraph 2");
    await repl.resize(40, 12);
    await repl.sees("Paragraph 6");
    for (const line of (await repl.screen()).split("\n"))
      expect(Bun.stringWidth(line)).toBeLessThanOrEqual(40);
    await repl.resize(120, 30);
    await repl.sees(/Paragraph 11 with some words in it\.\n\n>$/m);
    const all = await repl.scrollback();
    expect(printed(all).slice(all.indexOf("> go"))).toBe(`> go\n\n${text}`);
  });
});

describe.skipIf(noTmux !== undefined)("a resize while nothing happens", () => {
  test("fits the live lines to the new size at once", async () => {
    await using repl = await openRepl([], { columns: 100, rows: 30 });
    await repl.type("some words that have to be wrapped on a narrow terminal");
    await repl.resize(24, 10);
    await repl.sees(/^> some words that have$\n^ {2}to be wrapped on a$/m);
    for (const line of (await repl.screen()).split("\n"))
      expect(Bun.stringWidth(line)).toBeLessThanOrEqual(24);
    await repl.resize(100, 30);
    await repl.sees(/^> some words that have to be wrapped on a narrow terminal\n\S+cwd · mock medium$/m);
  });
});
