import { describe, expect, test } from "bun:test";
import { calls, says, shell } from "../fakes/endpoint.ts";
import { execAgainst } from "./run-buddy.ts";
import { resultsSent } from "./sent-results.ts";

const SECRET = "correct-horse-battery-9431";

describe.concurrent("buddy exec and tools.redact", () => {
  const go = (toml: string) => {
    let placeholder = "none";
    return execAgainst(
      (request, index) => {
        if (index === 0) return calls({ name: "read_file", arguments: { path: "conf" } });
        placeholder = /<secret-\w+-\d+>/.exec(JSON.stringify(request.body))?.[0] ?? placeholder;
        if (index === 1) return calls(shell(`printf %s '${placeholder}' > got; printf %s '${placeholder}'`));
        return says(`it is ${placeholder}`);
      },
      ["--approve", "all", "go"],
      { toml, env: { MY_PASSWORD: SECRET }, files: { "cwd/conf": `password is ${SECRET}\n` } },
    );
  };

  test('"model" sends placeholders, which only the target gets back as secrets', async () => {
    const ran = await go('[tools]\nredact = "model"\n');
    expect(JSON.stringify(ran.requests.map(({ body }) => body))).not.toContain(SECRET);
    expect(ran.files["cwd/got"]).toBe(SECRET);
    expect(resultsSent(ran.requests)[1]).toMatch(/"stdout":"<secret-\w+-1>"/);
    expect(ran.stdout).toMatch(/^it is <secret-\w+-1>\n$/);
    const { "cwd/got": _got, "cwd/conf": _conf, ...others } = ran.files;
    expect(JSON.stringify([others, ran.stderr])).not.toContain(SECRET);
  });

  test('"saved" sends what there is, and saves none of it', async () => {
    const ran = await go("");
    expect(resultsSent(ran.requests)[0]).toContain(SECRET);
    const { "cwd/got": _got, "cwd/conf": _conf, ...others } = ran.files;
    expect(JSON.stringify([others, ran.stderr])).not.toContain(SECRET);
  });

  test("what is kept of a long output has no secret either", async () => {
    const script = [calls(shell(`seq 20000; cat conf; seq 20000`)), says("done")];
    const ran = await execAgainst(script, ["--approve", "all", "go"], {
      env: { MY_PASSWORD: SECRET },
      files: { "cwd/conf": `password is ${SECRET}\n` },
    });
    const kept = Object.entries(ran.files).find(([path]) => path.endsWith(".stdout"));
    expect(kept?.[1]).toContain(`20000\npassword is ${"*".repeat(SECRET.length)}\n1\n2\n`);
    expect(JSON.stringify({ ...ran.files, "cwd/conf": "" })).not.toContain(SECRET);
  });
});
