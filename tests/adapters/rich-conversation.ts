import type { ProtocolName } from "../../adapters/model/protocol.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Message } from "../../core/message.ts";
import type { ModelRequest } from "../../core/ports/model.ts";
import { PNG } from "./sdk-clients.ts";

/** A conversation with everything in it that a protocol has to write; its thoughts are private to `origin`. */
export const richRequest = (protocol: ProtocolName, origin: string): ModelRequest => ({
  system: "be good",
  tools: [
    {
      name: "look",
      description: "Looks at a file",
      parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    },
    { name: "time", description: "The time", parameters: { type: "object", properties: {} } },
  ],
  messages: messages(origin, PRIVATE[protocol]),
  outputSchema: {
    name: "answer",
    schema: {
      type: "object",
      properties: { answer: { type: "string" } },
      required: ["answer"],
      additionalProperties: false,
    },
  },
});

const image = { type: "image", media_type: "image/png", data: PNG } as const;
const text = (value: string) => ({ type: "text", text: value }) as const;

const messages = (origin: string, fields: JsonObject): readonly Message[] => [
  { role: "user", content: [text("what is on these?"), image] },
  {
    role: "assistant",
    content: "I look",
    reasoning: "Two files.",
    tool_calls: [
      { id: "call_a", name: "look", arguments: '{"path":"a"}' },
      { id: "call_b", name: "look", arguments: '{"path":"b"}' },
    ],
    extra: { origin, fields },
  },
  { role: "tool", tool_call_id: "call_a", name: "look", content: [text("{}"), image], is_error: false },
  { role: "tool", tool_call_id: "call_b", name: "look", content: [text("no such file")], is_error: true },
  { role: "assistant", content: "", tool_calls: [{ id: "call_c", name: "time", arguments: "" }] },
  { role: "tool", tool_call_id: "call_c", name: "time", content: [text("noon")], is_error: false },
  {
    role: "assistant",
    content: "\n",
    reasoning: "from elsewhere",
    tool_calls: [{ id: "functions.look:3", name: "rm -rf", arguments: '{"path":' }],
    extra: { origin: "completions@elsewhere.example", fields: { reasoning_content: "from elsewhere" } },
  },
  {
    role: "tool",
    tool_call_id: "functions.look:3",
    name: "rm -rf",
    content: [text("Unknown tool")],
    is_error: true,
  },
  { role: "assistant", content: "A red dot.", tool_calls: [] },
  { role: "user", content: [text("and now?")] },
];

const PRIVATE: Readonly<Record<ProtocolName, JsonObject>> = {
  completions: { reasoning_content: "Two files." },
  responses: {
    output: [
      {
        id: "rs_1",
        type: "reasoning",
        summary: [{ type: "summary_text", text: "Two files." }],
        encrypted_content: "gAAAA==",
      },
      {
        id: "msg_1",
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", annotations: [], logprobs: [], chars: 6 }],
      },
      { id: "fc_a", type: "function_call" },
      { id: "fc_b", type: "function_call" },
    ],
  },
  anthropic: {
    content: [
      { type: "thinking", thinking: "Two files.", signature: "c2ln==" },
      { type: "redacted_thinking", data: "c2VhbGVk" },
      { type: "text", citations: null, chars: 6 },
      { type: "tool_use", caller: { type: "direct" } },
      { type: "tool_use", caller: { type: "direct" } },
    ],
  },
};
