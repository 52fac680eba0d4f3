import { describe, expect, test } from "bun:test";
import { calls, says, saysAndCalls, shell } from "../fakes/endpoint.ts";
import { configFor, execAgainst, newEndpoint, newPlace, runBuddy, steady } from "./run-buddy.ts";
import { savedRoles, sessionLines } from "./session-lines.ts";

describe.concurrent("buddy exec", () => {
  test.each(["answer", "answer\n", "answer\n\n\n"])(
    "exec ends the answer %j with exactly one newline",
    async (text) => {
      const { stdout, code } = await execAgainst([says(text)], ["hi"]);
      expect([stdout, code]).toEqual(["answer\n", 0]);
    },
  );

  test("exec prints an answer of many lines, quotes and emoji byte for byte", async () => {
    const text = '  one\n\n\ttwo "three" é漢😀\u0000 \u001b[31mred\u001b[0m';
    expect((await execAgainst([says(text)], ["hi"])).stdout).toBe(`${text}\n`);
  });

  test("exec prints an answer of 2 MB whole", async () => {
    const text = "0123456789abcde\n".repeat(131_072).trimEnd();
    const { stdout, code } = await execAgainst([says(text, 50)], ["hi"]);
    expect([stdout === `${text}\n`, code]).toEqual([true, 0]);
  });

  test("exec sends the words as one prompt with a system prompt and the tools", async () => {
    const { requests } = await execAgainst([says("ok")], ["what", "is", "--quiet", "this"]);
    expect(requests.length).toBe(1);
    expect(requests[0]).toMatchObject({
      path: "/v1/chat/completions",
      body: {
        model: "mock",
        stream: true,
        messages: [{ role: "system" }, { role: "user", content: "what is this" }],
        tools: [
          { type: "function", function: { name: "run_shell" } },
          { type: "function", function: { name: "read_file" } },
          { type: "function", function: { name: "write_file" } },
          { type: "function", function: { name: "edit_file" } },
          { type: "function", function: { name: "fetch_url" } },
          { type: "function", function: { name: "web_search" } },
          { type: "function", function: { name: "time" } },
        ],
      },
    });
  });

  test.each(["exec", "-p"])("%s takes what follows -- as words", async (command) => {
    await using endpoint = newEndpoint([says("ok")]);
    using place = newPlace(configFor(endpoint.url));
    const { stdout } = await runBuddy(place, [command, "--", "--quiet", "-x"]);
    expect([stdout, endpoint.requests[0]?.body]).toMatchObject([
      "ok\n",
      { messages: [{ role: "system" }, { role: "user", content: "--quiet -x" }] },
    ]);
  });

  test("exec runs a tool, keeps its chatter on stderr and half-thoughts off stdout", async () => {
    const script = [
      saysAndCalls("I will look.", shell("echo out; echo err >&2; exit 3")),
      says("It says out."),
    ];
    const ran = await execAgainst(script, ["--approve", "all", "look"]);
    const [{ stdout, code, stderr }, second] = [ran, ran.requests[1]?.body];
    expect({ stdout, code }).toEqual({ stdout: "It says out.\n", code: 0 });
    expect(steady(stderr)).toStartWith("▶ run_shell echo out; echo err >&2; exit 3\n");
    expect(steady(stderr)).toEndWith("· 2 turns · 1 tool call · 200 tokens in, 40 out · TIME\n");
    expect(stderr).not.toContain("\u001b");
    expect(second).toMatchObject({
      messages: [
        { role: "system" },
        { role: "user", content: "look" },
        { role: "assistant", content: "I will look.", tool_calls: [{ id: "call_1_0" }] },
        {
          role: "tool",
          tool_call_id: "call_1_0",
          content: expect.stringContaining('"exit_code":3,"stdout":"out\\n","stderr":"err\\n"'),
        },
      ],
    });
  });

  test("exec saves the whole conversation", async () => {
    const script = [calls(shell("echo hi")), says("done")];
    const ran = await execAgainst(script, ["--approve", "all", "look"]);
    expect(savedRoles(ran)).toEqual(["user", "assistant", "approval", "tool", "assistant"]);
    const [header, user, asks, approval, , answer] = sessionLines(ran);
    expect([header, user, asks, approval, answer]).toMatchObject([
      { type: "session", v: 1, id: expect.stringMatching(/^[a-z0-9-]+$/), target: "local" },
      { type: "message", role: "user", content: [{ type: "text", text: "look" }] },
      {
        type: "message",
        role: "assistant",
        content: "",
        profile: "mock",
        model: "mock",
        usage: { total_tokens: 120 },
      },
      {
        type: "approval",
        tool: "run_shell",
        subject: "echo hi",
        decision: { type: "allowed", by: "policy" },
      },
      { type: "message", role: "assistant", content: "done" },
    ]);
    expect(Object.keys(ran.files).map((path) => path.replace(/[a-z0-9-]+\.jsonl$/, "ID.jsonl"))).toEqual([
      "cwd/.buddyx/.gitignore",
      "cwd/.buddyx/sessions/ID.jsonl",
      "home/.config/buddy/buddy.toml",
    ]);
  });

  test("exec --no-session saves nothing", async () => {
    const { files, code } = await execAgainst([says("ok")], ["--no-session", "hi"]);
    expect([Object.keys(files), code]).toEqual([["home/.config/buddy/buddy.toml"], 0]);
  });

  test("exec --quiet says nothing on stderr when all is well", async () => {
    const script = [calls(shell("echo hi")), says("done")];
    const { stdout, stderr, code } = await execAgainst(script, ["--quiet", "--approve", "all", "look"]);
    expect({ stdout, stderr, code }).toEqual({ stdout: "done\n", stderr: "", code: 0 });
  });

  test("exec --no-tools offers none", async () => {
    const { requests } = await execAgainst([says("ok")], ["--no-tools", "hi"]);
    expect(requests[0]?.body).not.toHaveProperty("tools");
  });

  test("exec -C works in another directory", async () => {
    const script = [calls(shell("pwd; ls")), says("ok")];
    const files = { "cwd/sub/file": "" };
    const ran = await execAgainst(script, ["-C", "sub", "--approve", "all", "hi"], { files });
    expect(JSON.stringify(ran.requests[1]?.body)).toContain("/cwd/sub\\\\nfile\\\\n");
    expect(Object.keys(ran.files)).toContain("cwd/sub/.buddyx/.gitignore");
  });

  test("exec asks for one response where stream is off", async () => {
    const { stdout, requests } = await execAgainst([says("whole")], ["hi"], { toml: "stream = false\n" });
    expect([stdout, requests[0]?.body]).toMatchObject(["whole\n", { stream: false }]);
  });

  test("exec takes model, address and approval from the environment", async () => {
    await using endpoint = newEndpoint([calls(shell("echo hi")), says("ok")]);
    using place = newPlace();
    const env = {
      BUDDY_BASE_URL: endpoint.url,
      BUDDY_MODEL: "m-7",
      BUDDY_APPROVE: "all",
      BUDDY_API_KEY: "sk-env-key",
    };
    const { stdout, code } = await runBuddy(place, ["exec", "hi"], { env });
    expect([stdout, code]).toEqual(["ok\n", 0]);
    expect(endpoint.requests.map(({ headers }) => headers.authorization)).toEqual(
      Array(2).fill("Bearer sk-env-key"),
    );
    expect(endpoint.requests[0]?.body).toMatchObject({ model: "m-7" });
  });

  test("exec prefers flags to the environment", async () => {
    await using endpoint = newEndpoint([says("ok")]);
    using place = newPlace();
    const env = { BUDDY_BASE_URL: "http://127.0.0.1:1/v1", BUDDY_MODEL: "m-7" };
    const args = ["exec", "--base-url", endpoint.url, "-m", "m-8", "hi"];
    expect((await runBuddy(place, args, { env })).stdout).toBe("ok\n");
    expect(endpoint.requests[0]?.body).toMatchObject({ model: "m-8" });
  });

  test("exec works with PATH=/usr/bin:/bin and nothing else", async () => {
    const script = [calls(shell("uname")), says("ok")];
    const env = { PATH: "/usr/bin:/bin" };
    const { stdout, code, requests } = await execAgainst(script, ["--approve", "all", "hi"], { env });
    expect([stdout, code, requests.length]).toEqual(["ok\n", 0, 2]);
  });
});

describe.concurrent("buddy exec and approval", () => {
  const script = [calls(shell("touch ran-it")), says("could not")];

  test("exec denies without a terminal, tells the model, goes on and ends with 4", async () => {
    const ran = await execAgainst(script, ["hi"]);
    expect([ran.stdout, ran.code, Object.keys(ran.files).includes("cwd/ran-it")]).toEqual([
      "could not\n",
      4,
      false,
    ]);
    expect(ran.stderr).toContain("\nbuddy: Not approved: touch ran-it\nhint: ");
    expect(JSON.stringify(ran.requests[1]?.body)).toContain(
      "Denied: approval was needed, but there is no terminal",
    );
    expect(savedRoles(ran)).toEqual(["user", "assistant", "approval", "tool", "assistant"]);
  });

  test("exec --approve none denies and ends with 4", async () => {
    const ran = await execAgainst(script, ["--approve", "none", "hi"]);
    expect([ran.stdout, ran.code, Object.keys(ran.files).includes("cwd/ran-it")]).toEqual([
      "could not\n",
      4,
      false,
    ]);
  });

  test.each(["all", "10m"])("exec --approve %s runs it", async (policy) => {
    const ran = await execAgainst([calls(shell("touch ran-it")), says("did")], ["--approve", policy, "hi"]);
    expect([ran.stdout, ran.code, Object.keys(ran.files).includes("cwd/ran-it")]).toEqual(["did\n", 0, true]);
  });

  test("exec runs tools that need no approval without asking", async () => {
    const reads = [
      calls({ name: "read_file", arguments: { path: "note" } }, { name: "time", arguments: {} }),
      says("ok"),
    ];
    const ran = await execAgainst(reads, ["--approve", "none", "hi"], { files: { "cwd/note": "remember" } });
    expect([ran.stdout, ran.code]).toEqual(["ok\n", 0]);
    expect(JSON.stringify(ran.requests[1]?.body)).toContain("remember");
  });

  test("exec does not take the piped input for an answer", async () => {
    const ran = await execAgainst(script, ["hi"], { stdin: { text: "y\nyes\n" } });
    expect([ran.code, Object.keys(ran.files).includes("cwd/ran-it")]).toEqual([4, false]);
  });
});
