// Makes fixtures/demo/conversation.jsonl: buddy works on the demo project while a scripted endpoint plays the model.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DEMO_FILES, DEMO_MODEL, DEMO_PROMPT } from "../cmd/demo-project.ts";
import { calls, type Reply, says, saysAndCalls, shell, startEndpoint } from "../tests/fakes/endpoint.ts";

const FIX = `sed 's/read -r name price;/read -r name price || [ -n "$name" ];/' total.sh > fixed && mv fixed total.sh && sh total.sh`;

const script: readonly Reply[] = [
  {
    ...saysAndCalls(
      "I will read the script and its input first.",
      { name: "read_file", arguments: { path: "total.sh" } },
      { name: "read_file", arguments: { path: "prices.txt" } },
    ),
    paceMs: 180,
  },
  {
    ...saysAndCalls(
      "The loop looks right, so the input may be the reason: four entries, but how many line ends?",
      shell("sh total.sh; wc -l < prices.txt", { why: "see the wrong total, and count the line ends" }),
    ),
    paceMs: 180,
  },
  {
    ...calls(shell(FIX, { risk: "low", mutation: true, why: "read the last line too, then check" })),
    paceMs: 180,
  },
  {
    ...says(
      [
        "Fixed: `total.sh` now prints **42**.",
        "",
        "The last line of `prices.txt` has no line end. `read` still fills its variables there, but reports the end of the file, so the loop stopped before adding tea (11).",
        "",
        "```sh",
        'while read -r name price || [ -n "$name" ]; do',
        "```",
      ].join("\n"),
      40,
    ),
    paceMs: 35,
  },
];

const out = resolve("fixtures/demo/conversation.jsonl");
const cwd = mkdtempSync(join(tmpdir(), "buddy-record-"));
for (const [name, text] of Object.entries(DEMO_FILES)) writeFileSync(join(cwd, name), text);
// The demo has no network, so its model has no tools for the web.
writeFileSync(join(cwd, "buddy.toml"), "[tools]\nfetch_enabled = false\nsearch_enabled = false\n");
const endpoint = startEndpoint(script);
const child = Bun.spawn(
  [resolve("dist/buddy"), "exec", "--approve", "all", "--no-session", "--record", out, DEMO_PROMPT],
  {
    cwd,
    env: { PATH: process.env.PATH ?? "", BUDDY_BASE_URL: endpoint.url, BUDDY_MODEL: DEMO_MODEL },
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
  },
);
const code = await child.exited;
await endpoint.stop();
rmSync(cwd, { recursive: true });
console.log(`${readFileSync(out, "utf8").split("\n").length - 1} lines in ${out}`);
process.exit(code);
