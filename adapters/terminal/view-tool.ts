import type { ToolEvent } from "../../core/event.ts";
import { unreachable } from "../../core/result.ts";
import type { Item } from "./item.ts";
import { resultBody } from "./result-body.ts";
import type { RunningCall, RunningTask, Shown, View } from "./view-state.ts";

/** So much of what a running call puts out is kept for showing. */
const OUTPUT_CHARS = 4000;

/** What tools do, as they do it. */
export function stepTool(view: View, event: ToolEvent): Shown {
  switch (event.type) {
    case "call_requested": {
      const { id, name, arguments: args } = event.call;
      const next = withTask(view, (task) => ({ ...task, doing: name, calls: [...task.calls, { id, name }] }));
      return { view: next, items: view.choices.toolCalls ? [{ type: "call", name, arguments: args }] : [] };
    }
    case "started":
      return { view: withTask(view, (task) => ({ ...task, doing: event.name, output: "" })), items: [] };
    case "stdout_chunk":
    case "stderr_chunk":
    case "info":
      return {
        view: withTask(view, (task) => ({
          ...task,
          output: (task.output + event.text).slice(-OUTPUT_CHARS),
        })),
        items: [],
      };
    case "completed": {
      const { call_id, duration_ms: durationMs, summary, diff = "" } = event;
      const noted = (call: RunningCall) =>
        call.id === call_id ? { ...call, durationMs, summary, diff } : call;
      return { view: withTask(view, (task) => ({ ...task, calls: task.calls.map(noted) })), items: [] };
    }
    case "result":
      return shownResult(view, event);
    default:
      return unreachable(event);
  }
}

function shownResult(view: View, { message, refused }: Extract<ToolEvent, { type: "result" }>): Shown {
  const call = view.task?.calls.find(({ id }) => id === message.tool_call_id);
  const next = withTask(view, (task) => ({
    ...task,
    output: "",
    calls: task.calls.filter((other) => other !== call),
  }));
  const item: Item =
    refused === undefined
      ? {
          type: "result",
          summary: call?.summary ?? (message.is_error ? "failed" : "done"),
          durationMs: call?.durationMs,
          failed: message.is_error,
          body: call?.diff && !message.is_error ? { type: "diff", text: call.diff } : resultBody(message),
        }
      : { type: "refused", reason: refused };
  const shown = view.choices.toolCalls || message.is_error ? [item] : [];
  return { view: { ...next, last: { ...view.last, result: item } }, items: shown };
}

const withTask = (view: View, change: (task: RunningTask) => RunningTask): View =>
  view.task === undefined ? view : { ...view, task: change(view.task) };
