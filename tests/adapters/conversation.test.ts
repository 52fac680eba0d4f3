import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ProtocolName } from "../../adapters/model/protocol.ts";
import { historyOf } from "../../core/history.ts";
import { type Fields, isFields, listAt } from "../../core/lenient.ts";
import { text } from "../../core/message.ts";
import { calls, type Reply, says, saysAndCalls, startEndpoint, thinks } from "../fakes/endpoint.ts";
import { image, modelAt, prompt, transcriptOf } from "./converse.ts";
import { PROTOCOLS } from "./new-protocol.ts";

// The same conversation in every protocol. `UPDATE_FIXTURES=1 bun test tests/adapters/conversation.test.ts` writes
// what is sent to fixtures/requests anew: read the difference before you keep it.

const FIXTURES = join(import.meta.dir, "../../fixtures/requests");

const echo = (id: string, value: string) => ({ id, name: "echo", arguments: { text: value } });
const look = (id: string, path: string) => ({ id, name: "look", arguments: { path } });
const fail = (id: string, reason: string) => ({ id, name: "fail", arguments: { reason } });

/** Twelve turns in answer to four prompts. */
const SCRIPT: readonly Reply[] = [
  thinks("Both at once.", "c2VhbGVkMQ==", calls(echo("c1", "a"), echo("c2", "b ü 😀"))),
  saysAndCalls("Two pictures.", look("c3", "x.png"), look("c4", "y.png")),
  thinks("This may fail.", "c2VhbGVkMg==", saysAndCalls("One more.", fail("c5", "disk full"))),
  says("A red dot, twice."),
  calls({ id: "c6", name: "rm -rf", arguments: {} }, fail("c7", "disk full")),
  thinks("Wrong name.\n\nFull disk.", "c2VhbGVkMw+/==", calls(look("c8", "z.png"), echo("c9", "c"))),
  thinks("Enough.", "c2VhbGVkNA==", says("All seen.")),
  calls(echo("c10", "d")),
  saysAndCalls("\n\n", echo("c11", "e")),
  says("Fine."),
  thinks("Three.", "c2VhbGVkNQ==", calls(echo("c12", "f"), look("c13", "v.png"), echo("c14", "g"))),
  says("The end.", 1),
];

const PROMPTS = [
  { content: [text("What is this?"), image], answer: "A red dot, twice." },
  { content: [text("Go on.")], answer: "All seen." },
  { content: [text("And now?")], answer: "Fine." },
  { content: [text("Compare:"), image, image], answer: "The end." },
] as const;

async function converse(protocol: ProtocolName, stream: boolean) {
  const endpoint = startEndpoint(SCRIPT, { strictPrivate: true });
  try {
    const model = modelAt(endpoint, protocol, { stream });
    const history = historyOf();
    const answers: string[] = [];
    for (const { content } of PROMPTS) answers.push(await prompt(model, history, ...content));
    const bodies = endpoint.requests.map(({ body }) => (isFields(body) ? body : {}));
    return { answers, transcript: transcriptOf(history), bodies };
  } finally {
    await endpoint.stop();
  }
}

describe("a conversation of twelve turns", () => {
  const rows = PROTOCOLS.flatMap((protocol) => [true, false].map((stream) => ({ protocol, stream })));

  test.each(rows)("$protocol, stream: $stream", async ({ protocol, stream }) => {
    const { answers, transcript, bodies } = await converse(protocol, stream);
    expect(answers).toEqual(PROMPTS.map(({ answer }) => answer));
    expect(transcript).toEqual((await converse("completions", true)).transcript);
    expect(transcript.filter(({ role }) => role === "assistant").length).toBe(SCRIPT.length);

    const last = bodies.at(-1) ?? {};
    expect(last).toEqual(asked(fixture(protocol, last), stream));
    // It only ever grows at its end, so that a provider can cache what came before.
    expect(bodies).toEqual(bodies.map((body) => ({ ...last, ...beginningOf(last, body) })));
  });
});

/** The last request holds all of the conversation but its last answer. */
function fixture(protocol: ProtocolName, body: Fields): Fields {
  const path = join(FIXTURES, `${protocol}.json`);
  if (process.env.UPDATE_FIXTURES === "1" && body.stream === true) {
    mkdirSync(FIXTURES, { recursive: true });
    writeFileSync(path, `${JSON.stringify(body, null, 2)}\n`);
  }
  return JSON.parse(readFileSync(path, "utf8"));
}

/** The fixtures are requests for a stream. */
function asked(streamed: Fields, stream: boolean): Fields {
  const { stream_options, ...whole } = streamed;
  return stream ? streamed : { ...whole, stream: false };
}

/** As much of the list of messages as an earlier body had. */
function beginningOf(last: Fields, body: Fields): Fields {
  const name = "input" in last ? "input" : "messages";
  return { [name]: listAt(last, name).slice(0, listAt(body, name).length) };
}
