import { expect, test } from "bun:test";
import { type RawReply, startRawEndpoint } from "../contracts/raw-endpoint.ts";
import { calls, says, shell } from "../fakes/endpoint.ts";
import { configFor, execAgainst, newPlace, runBuddy } from "./run-buddy.ts";

const MIB = 1024 * 1024;

/** What a run costs that does next to nothing, so that growth can be told from size. */
const idleRss = async (): Promise<number> => (await execAgainst([says("ok")], ["hi"])).maxRssBytes;

async function runAgainstRaw(reply: RawReply) {
  await using endpoint = await startRawEndpoint([reply]);
  using place = newPlace(configFor(endpoint.url));
  return await runBuddy(place, ["exec", "hi"]);
}

function* repeated(before: string, piece: string, times: number, after: string): Generator<string> {
  yield before;
  for (let count = 0; count < times; count++) yield piece;
  yield after;
}

const PIECE = "x".repeat(256 * 1024);
const JSON_HEAD = { "content-type": "application/json" };

test.each([
  [
    "an event of 512 MiB",
    repeated('data: {"choices":[{"delta":{"content":"', PIECE, 2048, '"}}]}\n\n'),
    {},
    128,
  ],
  [
    "a stream of 512 MiB",
    repeated("", `data: {"choices":[{"delta":{"content":"${PIECE}"}}]}\n\n`, 2048, ""),
    {},
    256,
  ],
  ["comments of 512 MiB", repeated("", `: ${PIECE}\n\n`, 2048, "data: [DONE]\n\n"), {}, 128],
  [
    "a whole response of 64 MiB",
    repeated('{"choices":[{"message":{"content":"', PIECE, 256, '"}}]}'),
    JSON_HEAD,
    256,
  ],
] as const)("buddy exec survives %s in bounded memory", async (_what, chunks, head, mostMib) => {
  const [idle, ran] = [await idleRss(), await runAgainstRaw({ chunks, head, end: "close" })];
  expect([ran.code, ran.stdout, ran.stderr.length < 500]).toEqual([5, "", true]);
  expect((ran.maxRssBytes - idle) / MIB).toBeLessThan(mostMib);
});

test("buddy exec survives a command that says 300 MB, and tells the model what is missing", async () => {
  const idle = await idleRss();
  const script = [calls(shell("yes | head -c 300000000")), says("a lot")];
  const ran = await execAgainst(script, ["--approve", "all", "hi"]);
  expect([ran.stdout, ran.code]).toEqual(["a lot\n", 0]);
  expect(JSON.stringify(ran.requests[1]?.body)).toContain("characters left out");
  expect((ran.maxRssBytes - idle) / MIB).toBeLessThan(64);
});
