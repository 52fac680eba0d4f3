import type { Envelope, Event } from "../../core/event.ts";
import { unreachable } from "../../core/result.ts";
import { spokenText } from "../../core/user-parts.ts";
import type { Item } from "./item.ts";
import { stepModel } from "./view-model.ts";
import { EMPTY_TAIL, type Facts, printed, type Shown, silent, type View } from "./view-state.ts";
import { stepTool } from "./view-tool.ts";

/** Pure: what an event makes of the view, and what of it is finished and printed now. */
export function step(view: View, { event, ts_unix_ms }: Envelope): Shown {
  switch (event.family) {
    case "model":
      return stepModel(view, event);
    case "tool":
      return stepTool(view, event);
    case "task":
      return stepTask(view, event, ts_unix_ms);
    case "session":
      return stepSession(view, event);
    case "metrics":
      return stepMetrics(view, event);
    case "lifecycle":
      return stepLifecycle(view, event);
    case "warning":
      return printed(view, { type: "warning", text: event.message, hint: event.hint });
    case "error":
      return printed(view, { type: "error", text: event.failure.message, hint: event.failure.hint });
    default:
      return unreachable(event);
  }
}

type Of<F extends Event["family"]> = Extract<Event, { readonly family: F }>;

function stepLifecycle(view: View, event: Of<"lifecycle">): Shown {
  if (event.type === "started") return silent(view);
  if (event.type === "stopped") return silent({ ...view, facts: { ...view.facts, stopped: true } });
  const { profile, model, target } = event;
  return silent({ ...view, facts: { ...view.facts, profile, model, target } });
}

function stepSession(view: View, event: Of<"session">): Shown {
  const withSession = (session: Facts["session"]): View => ({ ...view, facts: { ...view.facts, session } });
  switch (event.type) {
    case "created":
      return silent(withSession({ id: event.id, path: event.path, title: "" }));
    case "resumed": {
      const { id, path, title } = event;
      const text = `Resumed ${id}${title === "" ? "" : ` “${title}”`}: ${event.messages} messages`;
      return printed(withSession({ id, path, title }), { type: "notice", text });
    }
    case "forked":
      return printed(withSession({ id: event.id, path: event.path, title: "" }), {
        type: "notice",
        text: `Going on in ${event.id}, a copy of ${event.from}`,
      });
    case "moved":
      return printed(view, { type: "notice", text: `Went back: ${event.messages} messages are before this` });
    case "titled":
      return silent(view.facts.session ? withSession({ ...view.facts.session, title: event.title }) : view);
    case "compacted":
      return printed(
        { ...view, facts: { ...view.facts, compacting: false } },
        {
          type: "notice",
          text: `Compacted: ${event.tokens_before} → ${event.tokens_after} tokens; the session file still has everything`,
        },
      );
    default:
      return silent(view);
  }
}

function stepMetrics(view: View, event: Of<"metrics">): Shown {
  const { facts } = view;
  switch (event.type) {
    case "context":
      return silent({ ...view, facts: { ...facts, context: { used: event.used, limit: event.limit } } });
    case "phase":
      return silent({ ...view, facts: { ...facts, compacting: event.name === "compaction" } });
    case "tokens": {
      const tokens = { ...facts.tokens, task: event.total.total_tokens };
      const costUsd = { ...facts.costUsd, task: event.cost_usd };
      const next = { ...view, facts: { ...facts, tokens, costUsd } };
      if (!view.choices.tokens) return silent(next);
      const { input_tokens, output_tokens, cached_tokens } = event.turn;
      const cached = cached_tokens > 0 ? ` (${cached_tokens} cached)` : "";
      return printed(next, {
        type: "tokens",
        text: `${input_tokens} tokens in${cached}, ${output_tokens} out`,
      });
    }
    default:
      return unreachable(event);
  }
}

const RESENT = new Set(["submit_prompt", "steer", "follow_up"]);

function stepTask(view: View, event: Of<"task">, nowMs: number): Shown {
  switch (event.type) {
    case "started": {
      const task = { id: event.task_id, startedMs: nowMs, doing: "thinking", calls: [], output: "" };
      return printed({ ...view, task, tail: EMPTY_TAIL }, { type: "user", text: spokenText(event.message) });
    }
    case "queued":
      return silent({ ...view, queue: [...view.queue, { text: spokenText(event.message), as: event.as }] });
    case "message_added": {
      const text = spokenText(event.message);
      const at = view.queue.findIndex((queued) => queued.as === event.as && queued.text === text);
      const queue = view.queue.filter((_, index) => index !== at);
      // What the loop itself asks for is no word of the user.
      const own = event.as === "repair" || event.as === "wrap_up";
      return own ? silent(view) : printed({ ...view, queue }, { type: "user", text });
    }
    case "unqueued":
      return silent({ ...view, queue: [] });
    case "waiting_approval":
      return silent({ ...view, approvals: [...view.approvals, event.approval] });
    case "approval_settled":
      return settled(view, event);
    case "decided":
      return silent(view);
    case "cancelling":
      return silent(view.task ? { ...view, task: { ...view.task, doing: "stopping" } } : view);
    case "completed":
      return silent(ended(view));
    case "failed":
      return printed(ended(view), {
        type: "error",
        text: event.failure.message,
        hint: event.failure.hint,
      });
    case "cancelled":
      return stopped(view);
    case "rejected":
      // Messages that came at the wrong moment are sent again; of them nothing is to be said.
      return RESENT.has(event.command)
        ? silent(view)
        : printed(view, { type: "warning", text: event.reason });
    default:
      return unreachable(event);
  }
}

/** A cancelled answer is kept as far as it came. */
function stopped(view: View): Shown {
  const { tail } = view;
  const rest: readonly Item[] = tail.text.trim() === "" ? [] : [{ type: tail.kind, text: tail.text }];
  const items = rest.filter((item) => item.type !== "reasoning" || view.choices.reasoning);
  return printed(ended(view), ...items, { type: "notice", text: "Stopped" });
}

function settled(
  view: View,
  { approval, decision }: Extract<Of<"task">, { type: "approval_settled" }>,
): Shown {
  const approvals = view.approvals.filter((other) => other.approval_id !== approval.approval_id);
  const next = { ...view, approvals };
  // A refusal is told by the result of the call.
  if (decision.type === "denied") return silent(next);
  return printed(next, { type: "approved", forSession: decision.scope === "session" });
}

function ended(view: View): View {
  const { facts } = view;
  const { tokens, costUsd } = facts;
  const cost = costUsd.earlier === null || costUsd.task === null ? null : costUsd.earlier + costUsd.task;
  return {
    ...view,
    task: undefined,
    tail: EMPTY_TAIL,
    approvals: [],
    facts: {
      ...facts,
      compacting: false,
      tokens: { earlier: tokens.earlier + tokens.task, task: 0 },
      costUsd: { earlier: cost, task: 0 },
    },
  };
}
