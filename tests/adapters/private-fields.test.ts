import { describe, expect, test } from "bun:test";
import type { ProtocolName } from "../../adapters/model/protocol.ts";
import { type History, historyOf } from "../../core/history.ts";
import { entryId } from "../../core/id.ts";
import { type Message, text } from "../../core/message.ts";
import { type Entry, entryLine } from "../../core/session.ts";
import {
  calls,
  type Endpoint,
  type Reply,
  raw,
  says,
  saysAndCalls,
  startEndpoint,
  thinks,
} from "../fakes/endpoint.ts";
import { WIRES } from "../fakes/wire.ts";
import { modelAt, prompt } from "./converse.ts";
import { PROTOCOLS } from "./new-protocol.ts";

const THOUGHT = "My secret plan: ä😀\n\nStep two";
const TOKEN = 'sk-c2VhbGVk+/äöü"\\==';
const echo = (id: string) => ({ id, name: "echo", arguments: { text: id } });

/** Thinks in every way there is: before calls, between them, before words. */
const SCRIPT: readonly Reply[] = [
  thinks(THOUGHT, `${TOKEN}1`, calls(echo("c1"), echo("c2"))),
  thinks(`${THOUGHT} again`, `${TOKEN}2`, saysAndCalls("On I go", echo("c3"))),
  calls(echo("c4")),
  thinks(`${THOUGHT} at last`, `${TOKEN}3`, says("First answer")),
  says("Second answer"),
  says("Third answer"),
];

const ask = (endpoint: Endpoint, protocol: ProtocolName, history: History, more = {}) =>
  prompt(modelAt(endpoint, protocol, more), history, text("go on"));

async function withEndpoints<T>(
  scripts: readonly (readonly Reply[])[],
  use: (...endpoints: readonly Endpoint[]) => Promise<T>,
): Promise<T> {
  const endpoints = scripts.map((script) => startEndpoint(script, { strictPrivate: true }));
  try {
    return await use(...endpoints);
  } finally {
    await Promise.all(endpoints.map((endpoint) => endpoint.stop()));
  }
}

/** What the last request to an endpoint brought back of what is private. */
const returnedTo = ({ requests }: Endpoint, protocol: ProtocolName): number =>
  WIRES[protocol].private.returned(requests.at(-1)?.body).length;

/** Everything that was ever sent there. */
const sentTo = ({ requests }: Endpoint): string => JSON.stringify(requests.map(({ body }) => body));

describe.concurrent("the private fields of a reply", () => {
  const modes = PROTOCOLS.flatMap((protocol) => [true, false].map((stream) => ({ protocol, stream })));

  test.each(modes)("$protocol, stream: $stream: go back byte for byte", async ({ protocol, stream }) => {
    await withEndpoints([SCRIPT], async (home) => {
      if (!home) throw new Error("No endpoint");
      const history = historyOf();
      expect(await ask(home, protocol, history, { stream })).toBe("First answer");
      expect(await ask(home, protocol, history, { stream })).toBe("Second answer");
      expect(returnedTo(home, protocol)).toBe(3);
    });
  });

  test.each(modes)("$protocol, stream: $stream: survive a session file", async ({ protocol, stream }) => {
    await withEndpoints([SCRIPT], async (home) => {
      if (!home) throw new Error("No endpoint");
      const history = historyOf();
      expect(await ask(home, protocol, history, { stream })).toBe("First answer");
      const resumed = historyOf(history.messages.map(savedAndRead));
      expect(resumed.messages.length).toBe(history.messages.length);
      expect(await ask(home, protocol, resumed, { stream })).toBe("Second answer");
      expect(returnedTo(home, protocol)).toBe(3);
    });
  });

  const switches = PROTOCOLS.flatMap((from) =>
    PROTOCOLS.filter((to) => to !== from).map((to) => ({ from, to })),
  );

  test.each(switches)("of $from never reach $to, and are not lost meanwhile", async ({ from, to }) => {
    await withEndpoints([SCRIPT, [thinks("Else", "b3RoZXI=", says("Elsewhere"))]], async (home, other) => {
      if (!home || !other) throw new Error("No endpoint");
      const history = historyOf();
      expect(await ask(home, from, history)).toBe("First answer");
      expect(await ask(other, to, history)).toBe("Elsewhere");
      expect(sentTo(other)).not.toContain("secret plan");
      expect(sentTo(other)).not.toContain("c2VhbGVk");
      expect(await ask(home, from, history)).toBe("Second answer");
      expect(returnedTo(home, from)).toBe(3);
      expect(sentTo(home)).not.toContain("b3RoZXI=");
    });
  });

  test.each(PROTOCOLS)("of %s never reach another host", async (protocol) => {
    await withEndpoints([SCRIPT, [says("Elsewhere")]], async (home, other) => {
      if (!home || !other) throw new Error("No endpoint");
      const history = historyOf();
      expect(await ask(home, protocol, history)).toBe("First answer");
      expect(await ask(other, protocol, history, { host: "localhost" })).toBe("Elsewhere");
      expect(sentTo(other)).not.toContain("secret plan");
      expect(sentTo(other)).not.toContain("c2VhbGVk");
      expect(await ask(home, protocol, history)).toBe("Second answer");
    });
  });

  test.each(PROTOCOLS)(
    "of %s go back also where the ids of its calls could not be kept",
    async (protocol) => {
      const endpoint = startEndpoint([thinks(THOUGHT, TOKEN, calls(echo("two words"))), says("Done")]);
      try {
        expect(await ask(endpoint, protocol, historyOf())).toBe("Done");
        expect(WIRES[protocol].private.returned(endpoint.requests[1]?.body)).toMatchObject([
          { of: "call_1_0" },
        ]);
      } finally {
        await endpoint.stop();
      }
    },
  );

  test.each(PROTOCOLS)("of %s go back also beside a blank text", async (protocol) => {
    const script = [thinks(THOUGHT, TOKEN, saysAndCalls("\n\n", echo("c1"))), says("Done")];
    await withEndpoints([script], async (home) => {
      if (!home) throw new Error("No endpoint");
      expect(await ask(home, protocol, historyOf())).toBe("Done");
      expect(returnedTo(home, protocol)).toBe(1);
    });
  });

  test("of responses stay here when they did not come encrypted", async () => {
    const output = [
      { id: "rs_1", type: "reasoning", summary: [], encrypted_content: null },
      { id: "fc_1", type: "function_call", call_id: "c1", name: "echo", arguments: '{"text":"x"}' },
    ];
    const event = { type: "response.completed", response: { status: "completed", output } };
    const endpoint = startEndpoint([raw([`data: ${JSON.stringify(event)}\n\n`]), says("Done")]);
    try {
      expect(await ask(endpoint, "responses", historyOf())).toBe("Done");
      expect(sentTo(endpoint)).not.toContain("rs_1");
    } finally {
      await endpoint.stop();
    }
  });

  test.each(PROTOCOLS)("of %s do not hold words and calls, which a session masks", async (protocol) => {
    const said = saysAndCalls("The password is hunter2", echo("hunter2"));
    const endpoint = startEndpoint([thinks(THOUGHT, TOKEN, said), says("Done")]);
    try {
      const history = historyOf();
      expect(await ask(endpoint, protocol, history)).toBe("Done");
      const extras = history.messages.map((message) =>
        message.role === "assistant" ? message.extra : undefined,
      );
      expect(JSON.stringify(extras)).not.toContain("hunter2");
    } finally {
      await endpoint.stop();
    }
  });
});

describe.concurrent("the private fields of chat completions", () => {
  const chunk = (delta: object, finish_reason: string | null = null): string =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const call = (index: number, more: object = {}) => ({
    index,
    id: `c${index}`,
    type: "function",
    function: { name: "echo", arguments: '{"text":"x"}' },
    ...more,
  });
  const assistantIn = (endpoint: Endpoint): unknown => {
    const [, second] = endpoint.requests;
    const sent: { readonly messages?: readonly unknown[] } = JSON.parse(JSON.stringify(second?.body ?? {}));
    return sent.messages?.[2];
  };

  test("Google's signatures go back on the calls they came with", async () => {
    const signed = { extra_content: { google: { thought_signature: TOKEN } } };
    const reply = raw([
      chunk({ tool_calls: [call(0, signed)] }),
      chunk({ tool_calls: [call(1)] }, "tool_calls"),
    ]);
    const endpoint = startEndpoint([reply, says("Done"), says("Elsewhere")]);
    try {
      const history = historyOf();
      expect(await ask(endpoint, "completions", history)).toBe("Done");
      expect(assistantIn(endpoint)).toMatchObject({
        tool_calls: [{ id: "c0", ...signed }, { id: "c1" }],
      });
      await ask(endpoint, "completions", history, { host: "localhost" });
      expect(JSON.stringify(endpoint.requests.at(-1)?.body)).not.toContain("thought_signature");
    } finally {
      await endpoint.stop();
    }
  });

  test("structured reasoning goes back in one piece for each index", async () => {
    const detail = (more: object) =>
      chunk({ reasoning_details: [{ index: 0, type: "reasoning.text", ...more }] });
    const reply = raw([
      detail({ text: "Hm, " }),
      detail({ text: "so" }),
      detail({ signature: "sig" }),
      chunk({ reasoning_details: [{ index: 1, type: "reasoning.encrypted", data: TOKEN }] }),
      chunk({ tool_calls: [call(0)] }, "tool_calls"),
    ]);
    const endpoint = startEndpoint([reply, says("Done")]);
    try {
      expect(await ask(endpoint, "completions", historyOf())).toBe("Done");
      expect(assistantIn(endpoint)).toMatchObject({
        reasoning_details: [
          { index: 0, type: "reasoning.text", text: "Hm, so", signature: "sig" },
          { index: 1, type: "reasoning.encrypted", data: TOKEN },
        ],
      });
    } finally {
      await endpoint.stop();
    }
  });
});

/** Through a line of a session file. What looks like a secret is masked in it, but not what a provider sealed. */
function savedAndRead(message: Message, index: number): Message {
  const entry: Entry = { id: entryId(index), parentId: null, ts: 0, type: "message", ...message };
  const line = entryLine(entry, {
    anything: (value) => value.replaceAll("sk-", "***"),
    known: (value) => value,
  });
  const { id, parentId, ts, type, ...read } = JSON.parse(line);
  return read;
}
