import { describe, expect, test } from "bun:test";
import * as v from "valibot";
import { noTmux } from "../../fakes/tmux-server.ts";
import { corpusRows } from "../corpus.ts";
import { exited, openShared, runIn, SHELLS } from "./open-pane.ts";

const rows = corpusRows(
  "tmux-text",
  v.object({ id: v.string(), input: v.union([v.string(), v.object({ repeat: v.string(), n: v.number() })]) }),
);
const texts = rows.flatMap(({ id, input }) =>
  typeof input === "string" && !/[\u0000-\u0008\u000b-\u001f]/.test(input) && !input.startsWith("<")
    ? [{ id, input }]
    : [],
);
const controls = rows.flatMap(({ id, input }) =>
  typeof input === "string" && /[\u0000-\u0008\u000b-\u001f]/.test(input) ? [{ id, input }] : [],
);
const long = rows.flatMap(({ id, input }) => (typeof input === "object" ? [{ id, ...input }] : []));

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

if (noTmux) console.log(`Nothing is typed into panes: ${noTmux}`);

for (const shell of SHELLS) {
  const why = noTmux ?? (Bun.which(shell) === null ? `${shell} is not installed` : undefined);
  if (why) console.log(`Nothing is typed into ${shell}: ${why}`);

  describe.skipIf(why !== undefined)(`typed into ${shell}`, () => {
    test("every text of the corpus arrives byte for byte, quoted and in a heredoc", async () => {
      await using shared = await openShared(shell);
      const wrong: unknown[] = [];
      for (const { id, input } of texts) {
        const inQuotes = await runIn(shared.target, `printf %s ${quoted(input)}; (exit 7)`);
        const inHeredoc = await runIn(shared.target, `cat <<'BUDDY_END'\n${input}\nBUDDY_END`);
        const found = [inQuotes, inHeredoc];
        const wanted = [exited(7, input), exited(0, `${input}\n`)];
        if (!Bun.deepEquals(found, wanted)) wrong.push({ id, found });
      }
      expect(wrong).toEqual([]);
    });

    test("control characters are refused, and nothing is typed", async () => {
      await using shared = await openShared(shell);
      for (const { input } of controls) {
        const { end, stdout } = await runIn(shared.target, `echo ${quoted(input)}`);
        expect([end.type, stdout]).toEqual(["failed", ""]);
      }
      expect(await runIn(shared.target, "echo still here")).toEqual(exited(0, "still here\n"));
    });

    test.each(long)("$n characters in a line arrive, or are refused in words: $id", async ({ repeat, n }) => {
      await using shared = await openShared(shell);
      const ran = await runIn(shared.target, `printf %s ${quoted(repeat.repeat(n))} | wc -c`, {
        timeoutMs: 60_000,
      });
      if (shell === "dash") {
        expect(ran.end.type === "failed" && ran.end.detail).toContain("write it to a file");
        return;
      }
      expect({ ...ran, stdout: ran.stdout.trim() }).toEqual(exited(0, String(n * repeat.length)));
    });

    test("many lines, 100 KB in all, arrive", async () => {
      await using shared = await openShared(shell);
      const lines = Array.from({ length: 1300 }, (_, at) => `${at} ${"é\t!x".repeat(15)}`).join("\n");
      const ran = await runIn(shared.target, `cat <<'BUDDY_END' | md5sum\n${lines}\nBUDDY_END`, {
        timeoutMs: 60_000,
      });
      const sum = new Bun.CryptoHasher("md5").update(`${lines}\n`).digest("hex");
      expect(ran).toEqual(exited(0, `${sum}  -\n`));
    });

    test.each([
      ["echo 'open", "not complete"],
      ["cat <<END\nx", "not complete"],
      ["if true; then echo yes", "not complete"],
    ])("%p is not complete: it is said, and the pane can be used", async (command, words) => {
      await using shared = await openShared(shell);
      const { end } = await runIn(shared.target, command);
      expect(end.type === "failed" && end.detail).toContain(words);
      expect(await runIn(shared.target, "echo next")).toEqual(exited(0, "next\n"));
    });

    test.each<[string, string, number]>([
      ["clear; echo seen; printf '\\033c'", "seen\n", 0],
      ["printf 'no newline'", "no newline", 0],
      ["printf 'é漢😀\\n'; false", "é漢😀\n", 1],
      ["printf '10%%\\r20%%\\r30%%\\n'", "30%\n", 0],
      ["printf '\\033[31mred\\033[0m\\n'", "red\n", 0],
      ["echo one\necho two\n(exit 3)", "one\ntwo\n", 3],
      ["#comment", "", 0],
      ["false\n#comment", "", 1],
      ["seq 1 200000 | tail -1", "200000\n", 0],
      ["echo a; # b", "a\n", 0],
      ["echo \"a!b\" !x '!y'", "a!b !x !y\n", 0],
      ["echo ~+x >/dev/null; echo 'a\tb'", "a\tb\n", 0],
      ["PS1=x", "", 0],
      ["(exit 255)", "", 255],
    ])("%p gives its output and exit code", async (command, stdout, code) => {
      await using shared = await openShared(shell);
      expect(await runIn(shared.target, command)).toMatchObject({
        stdout,
        end: { type: "exited", code },
      });
      expect(await runIn(shared.target, "echo next")).toEqual(exited(0, "next\n"));
    });

    test("a pane of 20 columns and 5 rows wraps, and the output is whole", async () => {
      await using shared = await openShared(shell);
      shared.server.tmux("resize-window", "-t", "=buddy-test:", "-x", "20", "-y", "5");
      const words = "word ".repeat(60).trim();
      expect(await runIn(shared.target, `echo ${words}`)).toEqual(exited(0, `${words}\n`));
    });

    test("text reaches a pane that is being scrolled", async () => {
      await using shared = await openShared(shell);
      shared.server.tmux("copy-mode", "-t", "=buddy-test:");
      expect(await runIn(shared.target, "echo seen")).toEqual(exited(0, "seen\n"));
    });

    test("a command that prints every earlier mark does not end before its end", async () => {
      await using shared = await openShared(shell);
      const log = `${shared.server.dir}/log`;
      shared.server.tmux("pipe-pane", "-t", "=buddy-test:", `cat > ${log}`);
      await runIn(shared.target, "echo first");
      await runIn(shared.target, "false");
      await runIn(shared.target, "(exit 9)");
      shared.server.tmux("pipe-pane", "-t", "=buddy-test:");
      expect(await Bun.file(log).text()).toContain("6973;e;");
      const ran = await runIn(shared.target, `cat ${log}; sleep 0.1; cat ${log}; echo last; (exit 4)`);
      expect([ran.end, ran.stdout.endsWith("last\n")]).toEqual([{ type: "exited", code: 4 }, true]);
    });

    test("what replaces or ends the shell is told with its code, and the next command has a new one", async () => {
      await using shared = await openShared(shell);
      for (const [command, end] of [
        ["exit 42", { type: "exited", code: 42 }],
        ["exec sh -c 'exit 5'", { type: "exited", code: 5 }],
        ["kill -9 $$", { type: "killed", signal: "SIGKILL" }],
      ] as const) {
        const ran = await runIn(shared.target, command);
        expect([ran.end, ran.notices.length]).toEqual([end, 1]);
        const next = await runIn(shared.target, "echo next");
        expect([next.stdout, next.end, next.notices.length]).toEqual([
          "next\n",
          { type: "exited", code: 0 },
          1,
        ]);
      }
    });

    test("a command that takes the hook away is answered, and the hook is put back", async () => {
      await using shared = await openShared(shell);
      const taken = shell === "zsh" ? "PS1=x; precmd_functions=(); false" : "PS1=x; PROMPT_COMMAND=; false";
      const ran = await runIn(shared.target, taken);
      expect([ran.end, ran.notices.length]).toEqual([{ type: "exited", code: 1 }, 1]);
      expect(await runIn(shared.target, "exec bash --norc")).toMatchObject({
        end: { type: "exited", code: 0 },
      });
      expect(await runIn(shared.target, "echo next")).toEqual(exited(0, "next\n"));
    });
  });
}
