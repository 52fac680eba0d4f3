import * as v from "valibot";
import {
  amount,
  approvalRequest,
  assistantMessage,
  costUsd,
  decision,
  failure,
  maybe,
  need,
  runReport,
  toolCall,
  toolMessage,
  totals,
  usage,
  userMessage,
  words,
} from "./event-parts.ts";

// Every event of core/event.ts, documented field by field: docs/events.md is made from this (`make docs`), and the
// types are held against it by a test. For documentation and tests: a run never loads it.

/** Makes the schemas of one family. `meaning`: when the event comes. */
const eventOf =
  <F extends string>(family: F) =>
  <T extends string, E extends v.ObjectEntries>(type: T, meaning: string, fields: E) =>
    v.pipe(
      v.strictObject({ family: v.literal(family), type: v.literal(type), ...fields }),
      v.description(meaning),
    );

const lifecycle = eventOf("lifecycle");
const lifecycleEvent = v.variant("type", [
  lifecycle("started", "buddy runs. Always the first event.", { version: words("of buddy") }),
  lifecycle("config_loaded", "What the run works with.", {
    profile: words("the active profile"),
    model: words("its model"),
    target: words("where commands run and files are"),
  }),
  lifecycle("stopped", "Everything that can be saved is saved. Always the last event.", {
    report: maybe(runReport),
  }),
]);

const session = eventOf("session");
const sessionId = words("id of the session");
const sessionPath = words("its file");
const sessionEvent = v.variant("type", [
  session("created", "A session file was made.", { id: sessionId, path: sessionPath }),
  session("resumed", "An earlier session goes on.", {
    id: sessionId,
    path: sessionPath,
    title: words("its title"),
    messages: amount("how many messages the conversation has"),
  }),
  session("forked", "A copy of a session goes on.", {
    id: words("id of the copy"),
    path: words("file of the copy"),
    from: words("id of the original, which stays as it is"),
  }),
  session("saved", "Everything up to here is on disk.", { id: sessionId }),
  session("moved", "The conversation goes on from an earlier entry of the same session.", {
    entry_id: v.pipe(v.nullable(v.string()), v.description("that entry; null: before the first one")),
    messages: amount("how many messages the conversation has now"),
  }),
  session("titled", "The session was given a title.", { title: words("the new title") }),
  session(
    "compacted",
    "From now on the summary and the last `kept` messages are sent. The file still holds everything.",
    {
      summary: words("what stands for the older messages; empty when they were dropped"),
      kept: amount("how many of the newest messages stay as they are"),
      tokens_before: amount("size of the context before"),
      tokens_after: amount("and after"),
    },
  ),
]);

const task = eventOf("task");
const taskId = words("id of the task");
const queuedAs = v.pipe(
  v.picklist(["steer", "follow_up"]),
  v.description("`steer` joins after the current calls, `follow_up` when the task would end"),
);
const addedAs = v.pipe(
  v.picklist(["steer", "follow_up", "wrap_up", "repair"]),
  v.description(
    "as it was queued; or buddy asks itself: `wrap_up` for a last answer before a limit ends the task, `repair` for an answer of the shape that was asked for",
  ),
);
const taskEvent = v.variant("type", [
  task("started", "A prompt is being worked on.", { task_id: taskId, message: userMessage }),
  task("queued", "A message waits for the running task.", {
    task_id: taskId,
    message: userMessage,
    as: queuedAs,
  }),
  task("message_added", "A message that is not the prompt has joined the conversation.", {
    task_id: taskId,
    message: userMessage,
    as: addedAs,
  }),
  task("waiting_approval", "The task waits until the user has allowed or denied a call.", {
    task_id: taskId,
    approval: approvalRequest,
  }),
  task("approval_settled", "The question was answered.", {
    task_id: taskId,
    approval: approvalRequest,
    decision,
  }),
  task(
    "decided",
    "A call was allowed or denied without a question: by a rule that nothing lifts, or by the policy.",
    {
      task_id: taskId,
      call_id: words("the call"),
      tool: words("its tool"),
      subject: words("the exact command, path or URL"),
      decision,
    },
  ),
  task("cancelling", "The task was told to stop; it ends shortly.", { task_id: taskId }),
  task("completed", "The task ended with an answer.", {
    task_id: taskId,
    result: words("the answer"),
    totals,
  }),
  task("failed", "The task ended without an answer, or with one that is not whole.", {
    task_id: taskId,
    failure,
    result: words("the last text of the model; may be empty"),
    totals,
  }),
  task("cancelled", "The task ended because it was told to.", { task_id: taskId, totals }),
  task("unqueued", "Messages that were queued for a task that ended without them.", {
    messages: v.pipe(v.array(userMessage), v.description("in the order in which they were queued")),
  }),
  task("rejected", "A command was not carried out.", {
    command: words("the command, such as `submit_prompt`"),
    reason: words("why it cannot be carried out now"),
  }),
]);

const model = eventOf("model");
const modelEvent = v.variant("type", [
  model("profile_switched", "Another model goes on.", {
    profile: words("the profile that is active now"),
    model: words("its model"),
  }),
  model("request_started", "The model is asked.", {
    turn: amount("counts the requests of the task, from 1"),
  }),
  model("text_delta", "The response grows. `model/message` repeats the whole.", {
    text: words("the next piece of the text"),
  }),
  model("reasoning_delta", "The model thinks aloud.", { text: words("the next piece of the reasoning") }),
  model(
    "delta_withdrawn",
    "All deltas since `model/request_started` are void: the response starts again.",
    {},
  ),
  model("message", "A whole response. `usage` is absent when the provider reported none.", {
    message: assistantMessage,
    usage: maybe(usage),
    model: words("the model that answered"),
    profile: words("its profile"),
  }),
  model("retrying", "A request failed and is made again.", {
    attempt: amount("which retry this is, from 1"),
    of: amount("how many there may be"),
    wait_ms: amount("the pause before it"),
    reason: words("what went wrong"),
  }),
]);

const tool = eventOf("tool");
const callId = words("`id` of the call");
const toolEvent = v.variant("type", [
  tool("call_requested", "The model wants a call. Every one gets exactly one `tool/result`.", {
    call: toolCall,
  }),
  tool("started", "The call runs from now on. `need` is absent when it needs no permission.", {
    call_id: callId,
    name: words("the tool"),
    need: maybe(need),
  }),
  tool("stdout_chunk", "A command writes. Only what `tool/result` holds is sent to the model.", {
    call_id: callId,
    text: words("the next piece of its standard output"),
  }),
  tool("stderr_chunk", "A command writes to its standard error.", {
    call_id: callId,
    text: words("the next piece of it"),
  }),
  tool("info", "Something about a call, for people.", { call_id: callId, text: words("a remark") }),
  tool("completed", "A call that ran has ended by itself.", {
    call_id: callId,
    name: words("the tool"),
    duration_ms: amount("how long it ran"),
    is_error: v.pipe(v.boolean(), v.description("it failed")),
    summary: words("one line for people"),
    diff: maybe(words("what changed in a file, as a unified diff")),
  }),
  tool("result", "What the model is told of a call, in the order of the calls.", {
    message: toolMessage,
    refused: maybe(words("why the call did not run, when it did not")),
  }),
]);

const metrics = eventOf("metrics");
const metricsEvent = v.variant("type", [
  metrics("tokens", "After a response: what it used, what the task used so far, and what that costs.", {
    turn: usage,
    total: usage,
    cost_usd: costUsd,
  }),
  metrics("context", "How full the model's context is.", {
    used: amount("tokens in the context"),
    limit: amount("tokens that it can hold"),
  }),
  metrics("phase", "Where the time of a turn went: one part of it has ended.", {
    name: v.pipe(
      v.picklist(["model", "tools", "compaction"]),
      v.description("waiting for the response, running its calls, or making room in the context"),
    ),
    duration_ms: amount("how long it took"),
  }),
]);

const warningEvent = eventOf("warning")("warning", "Something is not as it should be; the run goes on.", {
  code: words("a short name to branch on"),
  message: words("what is not as it should be"),
  hint: maybe(words("what the user can do about it")),
});

const errorEvent = eventOf("error")("error", "Something was not done; the run goes on.", { failure });

export const eventSchema = v.variant("family", [
  lifecycleEvent,
  sessionEvent,
  taskEvent,
  modelEvent,
  toolEvent,
  metricsEvent,
  warningEvent,
  errorEvent,
]);

export const envelopeSchema = v.strictObject({
  v: v.pipe(v.literal(1), v.description("version of the shape of everything in here")),
  seq: v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.description("1, 2, 3, … without a gap")),
  ts_unix_ms: amount("when it happened, in milliseconds since 1970"),
  event: v.pipe(eventSchema, v.description("what happened")),
});
