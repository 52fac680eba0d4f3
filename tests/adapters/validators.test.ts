import { describe, expect, test } from "bun:test";
import { problems as anthropicProblems } from "../fakes/validate-anthropic.ts";
import { problems as completionsProblems } from "../fakes/validate-completions.ts";
import { problems as responsesProblems } from "../fakes/validate-responses.ts";

type Row = readonly [name: string, body: unknown, ...problems: readonly string[]];

const PNG = "data:image/png;base64,aGk=";

describe("problems() of a chat completion", () => {
  const user = { role: "user", content: "hi" };
  const call = (id: string, more: object = {}) => ({
    id,
    type: "function",
    function: { name: "look", arguments: "{}", ...more },
  });
  const calling = (...tool_calls: readonly object[]) => ({ role: "assistant", content: null, tool_calls });
  const result = (tool_call_id: string, content: unknown = "ok") => ({ role: "tool", tool_call_id, content });
  const tool = { type: "function", function: { name: "look", parameters: { type: "object" } } };
  const image = { type: "image_url", image_url: { url: PNG } };
  const body = (messages: readonly unknown[], more: object = {}) => ({ model: "m", messages, ...more });

  const rows: readonly Row[] = [
    ["a question", body([{ role: "system", content: "be good" }, user])],
    ["an image", body([{ role: "user", content: [{ type: "text", text: "see" }, image] }])],
    ["parallel calls", body([user, calling(call("a"), call("b")), result("b"), result("a"), user])],
    [
      "an id of an earlier turn",
      body([user, calling(call("a")), result("a"), calling(call("a")), result("a")]),
    ],
    ["private reasoning", body([user, { role: "assistant", content: "x", reasoning_content: "hm" }, user])],
    ["no body", undefined, "body: is not an object"],
    ["half a character", body([{ role: "user", content: "\ud83d" }]), "body: has half a character"],
    ["the words for one", body([{ role: "user", content: "\\ud83d 😀" }])],
    ["nothing in it", {}, "model: is required", "messages: must not be empty"],
    ["an unknown option", body([user], { thinking: 1 }), "body.thinking: unknown field"],
    ["options of a stream alone", body([user], { stream_options: {} }), "stream_options: only with stream"],
    ["a hot model", body([user], { temperature: 3 }), "temperature: must be between 0 and 2"],
    ["no tools", body([user], { tools: [] }), "tools: must not be empty"],
    ["the same tool twice", body([user], { tools: [tool, tool] }), 'tools[1]: "look" is there twice'],
    ["an unknown role", body([{ role: "robot", content: "x" }]), 'messages[0].role: "robot" is unknown'],
    [
      "nothing said",
      body([{ role: "assistant", content: null }]),
      "messages[0].content: null only beside calls",
    ],
    [
      "no content",
      body([{ role: "user", content: [] }]),
      "messages[0].content: must be a text or a list of parts",
    ],
    ["an open call", body([user, calling(call("a"))]), 'messages: the call "a" has no result'],
    [
      "a late result",
      body([user, calling(call("a")), user, result("a")]),
      'messages[2]: the call "a" has no result',
      'messages[3]: a result for "a", which was not called',
    ],
    [
      "a result twice",
      body([user, calling(call("a")), result("a"), result("a")]),
      'messages[3]: the call "a" is answered twice, or too late',
    ],
    ["a result of nothing", body([user, result("a")]), 'messages[1]: a result for "a", which was not called'],
    [
      "the same id twice",
      body([user, calling(call("a"), call("a")), result("a")]),
      'messages[1].tool_calls[1]: the id "a" is used twice',
    ],
    [
      "an image as result",
      body([user, calling(call("a")), result("a", [image])]),
      "messages[2].content[0]: must be text only",
    ],
    [
      "half arguments",
      body([user, calling(call("a", { arguments: "{" })), result("a")]),
      "messages[1].tool_calls[0].function.arguments: is not the text of a JSON object",
    ],
    [
      "a name with a blank",
      body([user, calling(call("a", { name: "a b" })), result("a")]),
      "messages[1].tool_calls[0].function.name: does not match /^[a-zA-Z0-9_-]{1,64}$/",
    ],
    [
      "an image from nowhere",
      body([{ role: "user", content: [{ type: "image_url", image_url: { url: "x" } }] }]),
      "messages[0].content[0]: is no image",
    ],
  ];
  test.each(rows)("%s", (_name, sent, ...expected) => {
    expect(completionsProblems(sent)).toEqual(expected);
  });
});

describe("problems() of a response", () => {
  const user = { type: "message", role: "user", content: [{ type: "input_text", text: "hi" }] };
  const call = (call_id: string, more: object = {}) => ({
    type: "function_call",
    call_id,
    name: "look",
    arguments: "{}",
    ...more,
  });
  const result = (call_id: string, output: unknown = "ok") => ({
    type: "function_call_output",
    call_id,
    output,
  });
  const thought = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" };
  const said = { type: "message", role: "assistant", content: "x" };
  const image = { type: "input_image", detail: "auto", image_url: PNG };
  const body = (input: readonly unknown[], more: object = {}) => ({
    model: "m",
    store: false,
    input,
    ...more,
  });

  const rows: readonly Row[] = [
    ["a question", body([user])],
    ["parallel calls", body([user, thought, call("a"), call("b"), result("a"), result("b"), said, user])],
    [
      "thoughts between calls",
      body([user, thought, call("a"), thought, call("b"), result("a"), result("b")]),
    ],
    ["an image as result", body([user, call("a"), result("a", [image])])],
    ["a store", { model: "m", input: [user] }, "store: must be false, nothing is kept here"],
    ["an unknown option", body([user], { max_tokens: 1 }), "body.max_tokens: unknown field"],
    ["no items", body([]), "input: must be a list of items"],
    ["an unknown item", body([user, { type: "dance" }]), 'input[1].type: "dance" is unknown'],
    ["an unknown role", body([{ ...user, role: "tool" }]), 'input[0].role: "tool" is unknown'],
    ["an open call", body([user, call("a")]), 'input: the call "a" has no result'],
    [
      "a late result",
      body([user, call("a"), user, result("a")]),
      'input[2]: the call "a" has no result',
      'input[3]: a result for "a", which was not called',
    ],
    [
      "one result of two",
      body([user, call("a"), call("b"), result("a"), said]),
      'input[4]: the call "b" has no result',
    ],
    [
      "a result twice",
      body([user, call("a"), result("a"), result("a")]),
      'input[3]: the call "a" is answered twice, or too late',
    ],
    [
      "thoughts without their end",
      body([user, thought, user]),
      "input[2]: follows reasoning that nothing came of",
    ],
    ["thoughts at the end", body([user, thought]), "input: ends with reasoning that nothing came of"],
    [
      "thoughts in the clear",
      body([user, { ...thought, encrypted_content: null }, said]),
      'input[1]: "rs_1" was not found: without store, reasoning comes back encrypted or not at all',
    ],
    [
      "thoughts with a status",
      body([user, { ...thought, status: "completed" }, said]),
      "input[1].status: unknown field",
    ],
    [
      "a call with another's id",
      body([user, call("a", { id: "msg_1" }), result("a")]),
      "input[1].id: must begin with fc_",
    ],
    [
      "an endless id",
      body([user, call("a".repeat(65)), result("a".repeat(65))]),
      "input[1].call_id: is longer than 64 characters",
      "input[2].call_id: is longer than 64 characters",
    ],
    [
      "half arguments",
      body([user, call("a", { arguments: "" }), result("a")]),
      "input[1].arguments: is not the text of a JSON object",
    ],
    [
      "output as input",
      body([{ ...user, content: [{ type: "output_text", text: "x" }] }]),
      "input[0].content[0]: is neither text nor image",
    ],
  ];
  test.each(rows)("%s", (_name, sent, ...expected) => {
    expect(responsesProblems(sent)).toEqual(expected);
  });
});

describe("problems() of a message", () => {
  const text = { type: "text", text: "hi" };
  const user = { role: "user", content: [text] };
  const use = (id: string, more: object = {}) => ({ type: "tool_use", id, name: "look", input: {}, ...more });
  const result = (tool_use_id: string) => ({ type: "tool_result", tool_use_id, content: [text] });
  const does = (...content: readonly object[]) => ({ role: "assistant", content });
  const gets = (...content: readonly object[]) => ({ role: "user", content });
  const thought = { type: "thinking", thinking: "hm", signature: "s" };
  const image = (media_type: string) => ({
    type: "image",
    source: { type: "base64", media_type, data: "aGk=" },
  });
  const body = (messages: readonly unknown[], more: object = {}) => ({
    model: "m",
    max_tokens: 2048,
    messages,
    ...more,
  });
  const thinking = (budget_tokens: number) => ({ thinking: { type: "enabled", budget_tokens } });

  const rows: readonly Row[] = [
    ["a question", body([{ role: "user", content: "hi" }])],
    ["an image", body([gets(text, image("image/png"))])],
    [
      "parallel calls",
      body([user, does(thought, text, use("a"), use("b")), gets(result("a"), result("b"), text)]),
    ],
    ["room to answer", body([user], thinking(1024))],
    ["no limit", { model: "m", messages: [user] }, "max_tokens: is required"],
    [
      "no room to answer",
      body([user], thinking(2048)),
      "thinking.budget_tokens: must be less than max_tokens",
    ],
    ["too little to think", body([user], thinking(100)), "thinking.budget_tokens: must be 1024 or more"],
    [
      "a hot thinker",
      body([user], { ...thinking(1024), temperature: 1 }),
      "temperature: cannot be set while thinking",
    ],
    ["an unknown option", body([user], { store: false }), "body.store: unknown field"],
    ["two of the user", body([user, user]), "messages[1].role: must be assistant"],
    [
      "the assistant first",
      body([does(text)]),
      "messages[0].role: must be user",
      "messages: must end with the user",
    ],
    ["the assistant last", body([user, does(text)]), "messages: must end with the user"],
    [
      "a system message",
      body([{ role: "system", content: "x" }]),
      "messages[0].role: must be user",
      "messages: must end with the user",
    ],
    [
      "a blank text",
      body([user, does({ type: "text", text: "\n" }, use("a")), gets(result("a"))]),
      "messages[1].content[0].text: must contain more than blanks",
    ],
    [
      "a blank system",
      body([user], { system: [{ type: "text", text: "" }] }),
      "system.text: must contain more than blanks",
    ],
    ["nothing said", body([user, does(), user]), "messages[1].content: must not be empty"],
    ["an open call", body([user, does(use("a")), user]), 'messages[2]: the call "a" has no result'],
    [
      "results apart",
      body([user, does(use("a"), use("b")), gets(result("a")), does(text), gets(result("b"))]),
      'messages[2]: the call "b" has no result',
      'messages[4].content[0]: the call "b" is answered twice, or too late',
    ],
    [
      "results last",
      body([user, does(use("a")), gets(text, result("a"))]),
      "messages[2].content[1]: results must come first in their message",
    ],
    [
      "an id of an earlier turn",
      body([user, does(use("a")), gets(result("a")), does(use("a")), gets(result("a"))]),
      'messages[3].content[0]: the id "a" is used twice',
    ],
    [
      "an id with a dot",
      body([user, does(use("a.b")), gets(result("a.b"))]),
      "messages[1].content[0].id: does not match ^[a-zA-Z0-9_-]+$",
    ],
    [
      "arguments as text",
      body([user, does(use("a", { input: "{}" })), gets(result("a"))]),
      "messages[1].content[0].input: must be an object",
    ],
    [
      "unsigned thoughts",
      body([user, does({ type: "thinking", thinking: "hm" }, text), user]),
      "messages[1].content[0].signature: is required",
    ],
    ["a drawing", body([gets(image("image/svg+xml"))]), "messages[0].content[0]: is no image"],
  ];
  test.each(rows)("%s", (_name, sent, ...expected) => {
    expect(anthropicProblems(sent)).toEqual(expected);
  });
});
