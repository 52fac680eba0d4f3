import { describe, expect, test } from "bun:test";
import { spelledOut } from "../../core/sanitize.ts";
import { calls, type Reply, says, shell } from "../fakes/endpoint.ts";
import { BUDDY, configFor, newEndpoint, newPlace } from "./run-buddy.ts";
import { resultsSent } from "./sent-results.ts";

/** Runs on a terminal of its own, answering one question after the other; what the terminal got is returned. */
async function onTerminal(script: readonly Reply[], answers: readonly string[], toml = "") {
  await using endpoint = newEndpoint(script);
  using place = newPlace(configFor(endpoint.url, toml));
  const child = Bun.spawn(["script", "-qec", `stty cols 80; '${BUDDY}' exec go`, "/dev/null"], {
    cwd: place.cwd,
    env: { PATH: process.env.PATH ?? "", HOME: place.home, SHELL: "/bin/sh", NO_COLOR: "1" },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
    detached: true,
  });
  const decoder = new TextDecoder();
  let screen = "";
  let asked = 0;
  for await (const bytes of child.stdout) {
    screen += decoder.decode(bytes, { stream: true });
    while (screen.split("\napprove?").length - 1 > asked) {
      child.stdin.write(`${answers[asked] ?? "n"}\n`);
      child.stdin.flush();
      asked += 1;
    }
  }
  await child.exited;
  return { screen: screen.replaceAll("\r\n", "\n"), told: resultsSent(endpoint.requests), asked };
}

describe.skipIf(Bun.which("script") === null)("buddy exec asks on the terminal", () => {
  test.each([
    ["a long command, whole", `echo ${"a long word ".repeat(400)}`],
    ["lines", "echo a\necho b\n\trm -r build"],
    ["a question of its own", "true\napprove? [y]es, [n]o, or why not: y\nrm x"],
    ["text that runs backwards", "echo \u202egnihton\u202c"],
    ["what cannot be seen", "rm\u00a0-r\u200b x \u{e0041}\u2066y\u2069"],
  ])("and shows %s", async (_what, command) => {
    const { screen, told, asked } = await onTerminal(
      [calls(shell(command)), says("done")],
      ["no, rather not"],
    );
    expect(screen).toContain(`$ ${spelledOut(command)}\n`);
    expect([asked, told[0]]).toEqual([
      1,
      expect.stringContaining("Denied: the user said no: no, rather not"),
    ]);
  });

  test("and shows every line of a change before it is made", async () => {
    const content = `a\u202eb\n${"line\n".repeat(100)}\u001b[2Jend\n`;
    const script = [calls({ name: "write_file", arguments: { path: "x", content } }), says("done")];
    const { screen, told } = await onTerminal(script, ["y"], "[tools]\nfiles_confirm = true\n");
    const lines = content
      .trimEnd()
      .split("\n")
      .map((line) => `  +${spelledOut(line)}`);
    expect(screen).toContain(`  @@ -0,0 +1,102 @@\n${lines.join("\n")}\n`);
    expect(told[0]).toContain('"action":"created"');
  });

  test("and does not ask about what a rule forbids", async () => {
    const script = [calls({ name: "write_file", arguments: { path: "/etc/x", content: "" } }), says("done")];
    const { asked, told } = await onTerminal(script, ["y"], "[tools]\nfiles_confirm = true\n");
    expect([asked, told[0]]).toEqual([0, expect.stringContaining("it is in the system directory /etc")]);
  });
});

if (Bun.which("script") === null) console.warn("exec-approval: skipped, there is no script(1)");
