import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ProtocolName, RequestOptions } from "../../adapters/model/protocol.ts";
import { type ModelFacts, modelFacts } from "../../core/catalogue.ts";
import { isFields, listAt } from "../../core/lenient.ts";
import { WIRES } from "../fakes/wire.ts";
import { newProtocol, PROTOCOLS } from "./new-protocol.ts";
import { richRequest } from "./rich-conversation.ts";

const TYPES: Readonly<Record<ProtocolName, string>> = {
  completions: "OpenAI.Chat.ChatCompletionCreateParams",
  responses: "OpenAI.Responses.ResponseCreateParams",
  anthropic: "Anthropic.MessageCreateParams",
};

const UNKNOWN = modelFacts([], "m-1");
const FACTS: readonly ModelFacts[] = [
  UNKNOWN,
  { ...UNKNOWN, reasoning: true, thinking: "budget", output: 64_000 },
  { ...UNKNOWN, reasoning: true, thinking: "adaptive", output: 64_000 },
];
const LEVELS = ["off", "minimal", "low", "medium", "high"] as const;

/** Bodies of every protocol with every kind of model, level of thinking and way to answer. */
const BODIES = PROTOCOLS.flatMap((protocol) =>
  FACTS.flatMap((facts) =>
    LEVELS.flatMap((thinking) =>
      [true, false].map((stream) => ({ protocol, body: bodyOf(protocol, { facts, thinking, stream }) })),
    ),
  ),
);

function bodyOf(
  protocol: ProtocolName,
  more: Pick<RequestOptions, "facts" | "thinking" | "stream">,
): unknown {
  const origin = `${protocol}@models.example`;
  const options: RequestOptions = {
    model: "m-1",
    origin,
    streamUsage: true,
    maxOutputTokens: more.stream ? 0 : 4096,
    temperature: 0.5,
    topP: 0.9,
    ...more,
  };
  return JSON.parse(
    new TextDecoder().decode(newProtocol(protocol).body(richRequest(protocol, origin), options)),
  );
}

test("body() of every protocol is what a strict server takes", () => {
  expect(BODIES.flatMap(({ protocol, body }) => WIRES[protocol].problems(body))).toEqual([]);
});

test("body() of every protocol is what the vendor's own types allow", async () => {
  const cases = BODIES.map(
    ({ protocol, body }, at) =>
      `export const c${at}: ${TYPES[protocol]} = ${JSON.stringify(typed(protocol, body))};`,
  );
  const { code, output } = await typeCheck(`${HEAD}${cases.join("\n")}\n${CONTROLS}`);
  expect([output, code]).toEqual(["", 0]);
});

/**
 * What the types lack on purpose is left out: `reasoning_content` is an extension that OpenAI's own models do not
 * have, and Anthropic's types are those of API version 2026-10-21, which has no sampling; buddy asks for 2023-06-01,
 * in which models that do not think still take it.
 */
function typed(protocol: ProtocolName, body: unknown): unknown {
  if (!isFields(body)) return body;
  if (protocol === "anthropic") return { ...body, temperature: undefined, top_p: undefined };
  if (protocol === "responses") return body;
  const messages = listAt(body, "messages").filter(isFields);
  return { ...body, messages: messages.map((message) => ({ ...message, reasoning_content: undefined })) };
}

const HEAD = 'import type OpenAI from "openai";\nimport type Anthropic from "@anthropic-ai/sdk";\n';

/** Without an error in each of these the check would be none. */
const CONTROLS = [
  `// @ts-expect-error no such role\nexport const x0: ${TYPES.completions} = {"model":"m","messages":[{"role":"robot","content":"x"}]};`,
  `// @ts-expect-error no such item\nexport const x1: ${TYPES.responses} = {"model":"m","input":[{"type":"dance"}]};`,
  `// @ts-expect-error no limit\nexport const x2: ${TYPES.anthropic} = {"model":"m","messages":[]};`,
].join("\n");

const ROOT = join(import.meta.dir, "../..");

async function typeCheck(source: string): Promise<{ readonly code: number; readonly output: string }> {
  const folder = mkdtempSync(join(tmpdir(), "buddy-types-"));
  try {
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, "cases.ts"), source);
    const flags =
      "--ignoreConfig --noEmit --strict --skipLibCheck --target esnext --module preserve --types bun-types";
    const tsc = Bun.spawn(
      [process.execPath, join(ROOT, "node_modules/.bin/tsc"), ...flags.split(" "), "cases.ts"],
      { cwd: folder, stdout: "pipe", stderr: "pipe" },
    );
    const output = (await tsc.stdout.text()) + (await tsc.stderr.text());
    return { code: await tsc.exited, output };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
