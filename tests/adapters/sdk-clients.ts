// The vendors' own SDKs against an endpoint: what they send is well-formed, and what they hear is what was said.
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import type { ProtocolName } from "../../adapters/model/protocol.ts";
import type { Endpoint } from "../fakes/endpoint.ts";

export type Heard = {
  readonly text: string;
  readonly reasoning: string;
  /** What only the provider can read. */
  readonly token: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: unknown }[];
  readonly finish: string;
  readonly usage: {
    readonly input: number;
    readonly output: number;
    readonly cached: number;
    readonly reasoning: number;
  };
};

export type SdkAsk = (endpoint: Endpoint, mode: "stream" | "whole") => Promise<Heard>;

/** One question with a tool and an image. */
export const SDK_ASKS: Readonly<Record<ProtocolName, SdkAsk>> = {
  completions: askCompletions,
  responses: askResponses,
  anthropic: askAnthropic,
};

export const openaiAt = (endpoint: Endpoint): OpenAI =>
  new OpenAI({ apiKey: "sk-test", baseURL: endpoint.url, maxRetries: 0 });

export const anthropicAt = (endpoint: Endpoint): Anthropic =>
  new Anthropic({ apiKey: "sk-test", baseURL: endpoint.root, maxRetries: 0 });

/** A red dot. */
export const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

const SCHEMA = { type: "object" as const, properties: { path: { type: "string" } }, required: ["path"] };

async function askCompletions(endpoint: Endpoint, mode: "stream" | "whole"): Promise<Heard> {
  const client = openaiAt(endpoint);
  const params: OpenAI.Chat.ChatCompletionCreateParamsNonStreaming = {
    model: "mock",
    messages: [
      { role: "system", content: "be good" },
      {
        role: "user",
        content: [
          { type: "text", text: "what is this" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
        ],
      },
    ],
    tools: [{ type: "function", function: { name: "look", description: "Looks", parameters: SCHEMA } }],
  };
  if (mode === "whole") {
    const completion = await client.chat.completions.create(params);
    return heardCompletion(completion, thoughtIn(completion.choices[0]?.message));
  }
  const streamed = { ...params, stream: true, stream_options: { include_usage: true } } as const;
  const stream = client.chat.completions.stream(streamed);
  let thoughts = "";
  stream.on("chunk", ({ choices }) => {
    thoughts += thoughtIn(choices[0]?.delta);
  });
  return heardCompletion(await stream.finalChatCompletion(), thoughts);
}

/** A field that the SDK does not know, and hands through. */
const thoughtIn = (piece: object | undefined): string =>
  piece && "reasoning_content" in piece ? String(piece.reasoning_content) : "";

function heardCompletion(completion: OpenAI.Chat.ChatCompletion, reasoning: string): Heard {
  const [choice] = completion.choices;
  const { message, finish_reason } = choice ?? { message: undefined, finish_reason: "none" };
  const { usage } = completion;
  return {
    text: message?.content ?? "",
    reasoning,
    token: "",
    calls: (message?.tool_calls ?? []).flatMap((call) =>
      call.type === "function"
        ? [{ id: call.id, name: call.function.name, arguments: JSON.parse(call.function.arguments) }]
        : [],
    ),
    finish: finish_reason,
    usage: {
      input: usage?.prompt_tokens ?? 0,
      output: usage?.completion_tokens ?? 0,
      cached: usage?.prompt_tokens_details?.cached_tokens ?? 0,
      reasoning: usage?.completion_tokens_details?.reasoning_tokens ?? 0,
    },
  };
}

async function askResponses(endpoint: Endpoint, mode: "stream" | "whole"): Promise<Heard> {
  const client = openaiAt(endpoint);
  const params: OpenAI.Responses.ResponseCreateParamsNonStreaming = {
    model: "mock",
    store: false,
    instructions: "be good",
    include: ["reasoning.encrypted_content"],
    input: [
      {
        role: "user",
        type: "message",
        content: [
          { type: "input_text", text: "what is this" },
          { type: "input_image", detail: "auto", image_url: `data:image/png;base64,${PNG}` },
        ],
      },
    ],
    tools: [{ type: "function", name: "look", description: "Looks", parameters: SCHEMA, strict: false }],
  };
  if (mode === "whole") return heardResponse(await client.responses.create(params));
  return heardResponse(await client.responses.stream({ ...params, stream: true }).finalResponse());
}

function heardResponse(response: OpenAI.Responses.Response): Heard {
  const thoughts = response.output.filter((item) => item.type === "reasoning");
  const { usage } = response;
  return {
    text: response.output_text,
    reasoning: thoughts.flatMap((item) => item.summary.map(({ text }) => text)).join("\n\n"),
    token: thoughts.map((item) => item.encrypted_content ?? "").join(),
    calls: response.output.flatMap((item) =>
      item.type === "function_call"
        ? [{ id: item.call_id, name: item.name, arguments: JSON.parse(item.arguments) }]
        : [],
    ),
    finish: response.status ?? "",
    usage: {
      input: usage?.input_tokens ?? 0,
      output: usage?.output_tokens ?? 0,
      cached: usage?.input_tokens_details.cached_tokens ?? 0,
      reasoning: usage?.output_tokens_details.reasoning_tokens ?? 0,
    },
  };
}

async function askAnthropic(endpoint: Endpoint, mode: "stream" | "whole"): Promise<Heard> {
  const client = anthropicAt(endpoint);
  const params: Anthropic.MessageCreateParamsNonStreaming = {
    model: "mock",
    max_tokens: 2048,
    system: "be good",
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "what is this" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
        ],
      },
    ],
    tools: [{ name: "look", description: "Looks", input_schema: SCHEMA }],
  };
  if (mode === "whole") return heardMessage(await client.messages.create(params));
  return heardMessage(await client.messages.stream(params).finalMessage());
}

function heardMessage({ content, stop_reason, usage }: Anthropic.Message): Heard {
  const thoughts = content.filter((block) => block.type === "thinking");
  return {
    text: content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(""),
    reasoning: thoughts.map(({ thinking }) => thinking).join(""),
    token: thoughts.map(({ signature }) => signature).join(),
    calls: content.flatMap((block) =>
      block.type === "tool_use" ? [{ id: block.id, name: block.name, arguments: block.input }] : [],
    ),
    finish: stop_reason ?? "",
    usage: {
      input: usage.input_tokens + (usage.cache_read_input_tokens ?? 0),
      output: usage.output_tokens,
      cached: usage.cache_read_input_tokens ?? 0,
      reasoning: usage.output_tokens_details?.thinking_tokens ?? 0,
    },
  };
}
