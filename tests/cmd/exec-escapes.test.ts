import { describe, expect, test } from "bun:test";
import * as v from "valibot";
import { corpusRows } from "../adapters/corpus.ts";
import { calls, refuses, says, saysAndCalls, shell } from "../fakes/endpoint.ts";
import { execAgainst } from "./run-buddy.ts";

const texts = corpusRows("terminal-escapes", v.object({ input: v.string() })).map(({ input }) => input);

/** Whatever steers a terminal or hides in a text; line breaks and tabs aside. */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;

const hiddenIn = (text: string): readonly string[] => text.match(HIDDEN) ?? [];

/** A command that says the text, byte for byte. */
const saying = (text: string): string =>
  `printf '${[...Buffer.from(text)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("")}'`;

const run = (script: Parameters<typeof execAgainst>[0]) =>
  execAgainst(script, ["--approve", "all", "--max-iterations", "500", "go"]);

describe("buddy exec and text that would steer the terminal", () => {
  test("nothing of it comes through from what commands and the model say while they work", async () => {
    const script = texts.map((input) => saysAndCalls(input, shell(saying(input), { why: "x" })));
    const { stderr, code } = await run([...script, says("done")]);
    expect([hiddenIn(stderr), code, stderr.length > 5000]).toEqual([[], 0, true]);
  });

  test("nothing of it comes through from names of tools, paths, and reasons to refuse", async () => {
    const script = texts.flatMap((input) => [
      calls({ name: `tool${input}`, arguments: { a: input } }),
      calls({ name: "read_file", arguments: { path: `/nowhere/${input}` } }),
      calls({ name: "write_file", arguments: { path: `/etc/${input}`, content: input } }),
    ]);
    const { stderr, code } = await run([...script, says("done")]);
    expect([hiddenIn(stderr), code]).toEqual([[], 0]);
  });

  test("nothing of it comes through from a change of a file", async () => {
    const script = texts.map((input, index) =>
      calls({
        name: "write_file",
        arguments: { path: `file${index}`, content: `${input}\n`.replaceAll("\0", "") },
      }),
    );
    const { stderr, code, files } = await run([...script, says("done")]);
    expect([hiddenIn(stderr), code, Object.keys(files).filter((path) => /file\d/.test(path)).length]).toEqual(
      [[], 0, texts.length],
    );
  });

  test("nothing of it comes through from errors of an endpoint", async () => {
    for (const input of texts.slice(0, 12)) {
      const { stderr, code } = await run([refuses(400, `no: ${input}`)]);
      expect([hiddenIn(stderr), code]).toEqual([[], 5]);
    }
  });
});
