import { describe, expect, test } from "bun:test";
import { type ReceivedRequest, says } from "../fakes/endpoint.ts";
import { configFor, execAgainst, newEndpoint, newPlace, runShell } from "./run-buddy.ts";

/** The prompt as the endpoint got it. */
function promptOf(requests: readonly ReceivedRequest[]): unknown {
  const body = requests[0]?.body;
  const messages =
    typeof body === "object" && body !== null && "messages" in body ? body.messages : undefined;
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  return typeof last === "object" && last !== null && "content" in last ? last.content : undefined;
}

const NOTICE =
  "buddy: warning: Standard input is open but silent: going on without it (--stdin require waits)\n";

describe.concurrent("buddy exec and standard input", () => {
  test("exec attaches piped input after the prompt", async () => {
    const ran = await execAgainst([says("ok")], ["explain"], { stdin: { text: "piped é\n" } });
    expect([promptOf(ran.requests), ran.code]).toEqual(["explain\n\n<stdin>\npiped é\n\n</stdin>", 0]);
  });

  test("exec attaches 3 MB whole", async () => {
    const text = "0123456789abcde\n".repeat(200_000);
    const ran = await execAgainst([says("ok")], ["explain"], {
      stdin: { text },
      toml: "context_limit = 2000000\n",
    });
    expect(promptOf(ran.requests) === `explain\n\n<stdin>\n${text}\n</stdin>`).toBe(true);
  });

  test("exec attaches nothing when there is nothing", async () => {
    const ran = await execAgainst([says("ok")], ["explain"], { stdin: { text: "" } });
    expect([promptOf(ran.requests), ran.code]).toEqual(["explain", 0]);
  });

  test("exec - reads the whole prompt", async () => {
    const ran = await execAgainst([says("ok")], ["-"], { stdin: { text: "all of\nit" } });
    expect([promptOf(ran.requests), ran.code]).toEqual(["all of\nit", 0]);
  });

  test("exec --timeout holds for an input that does not end", async () => {
    for (const format of ["text", "json"]) {
      const args = ["--stdin", "require", "--timeout", "300ms", "--output-format", format, "hi"];
      const ran = await execAgainst([], args, { stdin: "open" });
      expect([ran.code, ran.requests.length]).toEqual([6, 0]);
      expect(ran.stderr).toBe("buddy: Stopped after 300ms: the task had not begun\n");
      if (format === "json") expect(JSON.parse(ran.stdout)).toMatchObject({ error: { class: "limit" } });
    }
  });

  test("exec - refuses an empty one", async () => {
    const ran = await execAgainst([], ["-"], { stdin: { text: " \n" } });
    expect([ran.code, ran.stdout, ran.requests]).toEqual([2, "", []]);
  });

  test("exec goes on without an input that is open but silent, after 500 ms and with a notice", async () => {
    const startedMs = performance.now();
    const ran = await execAgainst([says("ok")], ["explain"], { stdin: "open" });
    const tookMs = performance.now() - startedMs;
    expect([promptOf(ran.requests), ran.stdout, ran.code]).toEqual(["explain", "ok\n", 0]);
    expect(ran.stderr).toStartWith(NOTICE);
    expect(tookMs).toBeGreaterThan(490);
    expect(tookMs).toBeLessThan(3000);
  });

  test("exec --stdin ignore does not wait and does not read", async () => {
    const [open, given] = await Promise.all([
      execAgainst([says("ok")], ["--stdin", "ignore", "explain"], { stdin: "open" }),
      execAgainst([says("ok")], ["--stdin", "ignore", "explain"], { stdin: { text: "piped" } }),
    ]);
    expect([promptOf(open.requests), open.stderr.includes("silent")]).toEqual(["explain", false]);
    expect(promptOf(given.requests)).toBe("explain");
  });

  test.each([
    ["a file", '"$BUDDY" exec explain < input', "explain\n\n<stdin>\nfrom a file\n\n</stdin>"],
    [
      "a slow writer that is waited for",
      '(sleep 0.7; cat input) | "$BUDDY" exec --stdin require explain',
      "explain\n\n<stdin>\nfrom a file\n\n</stdin>",
    ],
    ["a file as the prompt", '"$BUDDY" exec - < input', "from a file\n"],
    ["/dev/null", '"$BUDDY" exec explain < /dev/null', "explain"],
    ["nothing, closed", '"$BUDDY" exec explain <&-', "explain"],
  ])("exec reads %s", async (_what, line, prompt) => {
    await using endpoint = newEndpoint([says("ok")]);
    using place = newPlace({ ...configFor(endpoint.url), "cwd/input": "from a file\n" });
    const ran = await runShell(place, line);
    expect([ran.stdout, ran.code, promptOf(endpoint.requests)]).toEqual(["ok\n", 0, prompt]);
  });

  test("exec waits for the rest once something has come, as any filter does", async () => {
    await using endpoint = newEndpoint([says("ok")]);
    using place = newPlace(configFor(endpoint.url));
    const ran = await runShell(place, '(printf one; sleep 0.7; printf two) | "$BUDDY" exec explain');
    expect([ran.stdout, ran.stderr.includes("silent"), promptOf(endpoint.requests)]).toEqual([
      "ok\n",
      false,
      "explain\n\n<stdin>\nonetwo\n</stdin>",
    ]);
  });

  test.each(["exec explain", "exec -", "exec --stdin require explain"])(
    "%s with a directory as standard input is a usage error",
    async (words) => {
      await using endpoint = newEndpoint([]);
      using place = newPlace(configFor(endpoint.url));
      const ran = await runShell(place, `"$BUDDY" ${words} < .`);
      expect([ran.code, ran.stdout, ran.stderr, endpoint.requests]).toEqual([
        2,
        "",
        "buddy: Standard input is a directory\n",
        [],
      ]);
    },
  );

  test("exec --stdin ignore does not look at a directory", async () => {
    await using endpoint = newEndpoint([says("ok")]);
    using place = newPlace(configFor(endpoint.url));
    const ran = await runShell(place, '"$BUDDY" exec --stdin ignore explain < .');
    expect([ran.stdout, ran.code]).toEqual(["ok\n", 0]);
  });

  test("exec - with a closed standard input is an empty prompt", async () => {
    await using endpoint = newEndpoint([]);
    using place = newPlace(configFor(endpoint.url));
    const ran = await runShell(place, '"$BUDDY" exec - <&-');
    expect([ran.code, ran.stdout, endpoint.requests]).toEqual([2, "", []]);
  });
});
