import * as v from "valibot";
import type { JsonObject } from "./json.ts";
import { isFields } from "./lenient.ts";

// The parts that several events share, documented field by field. For documentation and tests: a run never loads it.

export const words = (meaning: string) => v.pipe(v.string(), v.description(meaning));

export const amount = (meaning: string) =>
  v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.description(meaning));

const yesNo = (meaning: string) => v.pipe(v.boolean(), v.description(meaning));

const dollars = (meaning: string) => v.nullable(v.pipe(v.number(), v.description(meaning)));

const speaker = <R extends string>(role: R) => v.pipe(v.literal(role), v.description("who speaks"));

/** A field that is there only sometimes. */
export const maybe = v.exactOptional;

const part = v.pipe(
  v.variant("type", [
    v.strictObject({ type: v.literal("text"), text: words("the text") }),
    v.strictObject({
      type: v.literal("image"),
      media_type: words("such as `image/png`"),
      data: words("the image in base64"),
    }),
  ]),
  v.title("Part"),
  v.description("A piece of a message's content."),
);

const content = v.pipe(v.array(part), v.description("what it says, in order"));

export const toolCall = v.pipe(
  v.strictObject({
    id: words("ties the result to the call; unique in the conversation"),
    name: words("the tool that is wanted, whether it exists or not"),
    arguments: words("the JSON text as the model wrote it, not yet checked"),
  }),
  v.title("ToolCall"),
  v.description("What the model asks a tool to do."),
);

export const userMessage = v.pipe(
  v.strictObject({ role: speaker("user"), content }),
  v.title("UserMessage"),
  v.description("What the user said."),
);

const extra = v.pipe(
  v.strictObject({
    origin: words("protocol and host that it goes back to, such as `responses@api.openai.com`"),
    fields: v.pipe(v.custom<JsonObject>(isFields), v.description("the provider's own fields, unchanged")),
  }),
  v.title("Extra"),
  v.description("Private fields of a provider, such as encrypted reasoning. Opaque."),
);

export const assistantMessage = v.pipe(
  v.strictObject({
    role: speaker("assistant"),
    content: words("the text; empty when there are only calls"),
    reasoning: maybe(words("the reasoning as far as the provider shows it")),
    tool_calls: v.pipe(v.array(toolCall), v.description("in the model's order; empty when it answers")),
    extra: maybe(extra),
  }),
  v.title("AssistantMessage"),
  v.description("One whole response of the model."),
);

export const toolMessage = v.pipe(
  v.strictObject({
    role: speaker("tool"),
    tool_call_id: words("the `id` of the call"),
    name: words("the tool"),
    content,
    is_error: yesNo("the call failed, was refused or was cancelled"),
  }),
  v.title("ToolMessage"),
  v.description("The result of one call as the model sees it."),
);

export const usage = v.pipe(
  v.strictObject({
    input_tokens: amount("tokens sent, cached ones included"),
    output_tokens: amount("tokens generated, reasoning included"),
    cached_tokens: amount("of the input, those that came from the provider's cache"),
    reasoning_tokens: amount("of the output, those that were reasoning"),
    total_tokens: amount("input and output"),
  }),
  v.title("Usage"),
  v.description("Tokens as the provider counted them."),
);

const failureClass = v.pipe(
  v.picklist([
    "internal",
    "usage",
    "auth",
    "approval",
    "model",
    "limit",
    "context",
    "target",
    "schema",
    "interrupted",
  ]),
  v.description("what kind of failure; decides the exit code"),
);

export const failure = v.pipe(
  v.strictObject({
    class: failureClass,
    message: words("what could not be done, and why"),
    hint: maybe(words("what the user can do about it")),
    retryable: maybe(yesNo("the same may work later")),
    http_status: maybe(amount("the endpoint's status")),
    retry_after_ms: maybe(amount("how long the endpoint asked to wait")),
    request_id: maybe(words("the provider's name for the request")),
  }),
  v.title("Failure"),
  v.description("Why something could not be done. Branch on `class`, never on `message`."),
);

const needFacts = {
  subject: words("the exact command, path or URL: what runs is this"),
  risk: v.pipe(v.picklist(["low", "medium", "high"]), v.description("as the model declares it")),
  mutation: yesNo("the model says that it changes something"),
  privesc: yesNo("the model says that it uses more privileges"),
  why: words("the model's reason"),
};

export const need = v.pipe(
  v.variant("kind", [
    v.strictObject({ kind: v.literal("shell"), ...needFacts }),
    v.strictObject({
      kind: v.literal("file"),
      ...needFacts,
      diff: words("what would change, as a unified diff; empty once the call runs"),
    }),
    v.strictObject({ kind: v.literal("url"), ...needFacts }),
  ]),
  v.title("Need"),
  v.description("What a call wants permission for."),
);

export const approvalRequest = v.pipe(
  v.strictObject({
    approval_id: words("answers name it"),
    call_id: words("the call that waits"),
    tool: words("its tool"),
    need,
    target: words("where it would run"),
    cwd: words("the working directory there"),
  }),
  v.title("ApprovalRequest"),
  v.description("A question to the user."),
);

const denied = v.pipe(
  v.strictObject({
    type: v.literal("denied"),
    by: v.pipe(
      v.picklist(["user", "policy", "rule", "nobody"]),
      v.description("who decided; `rule`: nobody may allow it; `nobody`: there was no one to ask"),
    ),
    reason: words("in words that the model is told too"),
  }),
  v.title("Denied"),
  v.description("A no."),
);

export const decision = v.pipe(
  v.variant("type", [
    v.strictObject({
      type: v.literal("allowed"),
      by: v.pipe(v.picklist(["user", "policy"]), v.description("who decided")),
      scope: maybe(
        v.pipe(
          v.picklist(["once", "session"]),
          v.description("`session`: this exact subject is not asked about again in this run"),
        ),
      ),
      subject: maybe(words("what the user changed it to: this runs instead of what was asked for")),
    }),
    denied,
  ]),
  v.title("Decision"),
  v.description("The answer to a question."),
);

const denial = v.pipe(
  v.strictObject({
    tool: words("the tool"),
    subject: words("the exact command, path or URL"),
    reason: words("why not"),
  }),
  v.title("Denial"),
  v.description("A call that was denied."),
);

export const costUsd = dollars("in US dollars; null when a price is not known");

export const totals = v.pipe(
  v.strictObject({
    usage,
    cost_usd: costUsd,
    turns: amount("requests to the model"),
    tool_calls: amount("calls that ran"),
    denials: v.pipe(v.array(denial), v.description("calls that were denied, in order")),
    unapproved: yesNo("a call was denied because nobody could be asked, or by policy"),
  }),
  v.title("TaskTotals"),
  v.description("What one task used."),
);

const orNull = <S extends v.GenericSchema>(schema: S) => v.nullable(schema);

const reportedError = v.pipe(
  v.strictObject({
    class: failureClass,
    message: words("what could not be done, and why"),
    hint: orNull(words("what the user can do about it")),
    retryable: yesNo("the same may work later"),
    http_status: orNull(amount("the endpoint's status")),
    retry_after_ms: orNull(amount("how long the endpoint asked to wait")),
    request_id: orNull(words("the provider's name for the request")),
  }),
  v.title("ReportedError"),
  v.description("A failure with every field in its place."),
);

export const runReport = v.pipe(
  v.strictObject({
    session_id: orNull(words("id of the session, when one was made or resumed")),
    status: v.pipe(
      v.picklist(["completed", "failed", "cancelled"]),
      v.description("`completed` exactly when the exit code is 0"),
    ),
    exit_code: amount("the exit code of the process"),
    result: words("the answer, or the last text of the model; may be empty"),
    error: v.nullable(reportedError),
    usage,
    cost_usd: costUsd,
    turns: amount("requests to the model"),
    tool_calls: amount("calls that ran"),
    denials: v.pipe(v.array(denial), v.description("calls that were denied, in order")),
    duration_ms: amount("from start to end"),
    model: orNull(words("the model")),
    profile: orNull(words("its profile")),
  }),
  v.title("RunReport"),
  v.description("What `buddy exec --output-format json` prints: what the run came to."),
);
