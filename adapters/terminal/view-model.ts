import { formatDuration } from "../../core/duration.ts";
import type { ModelTurnEvent } from "../../core/event.ts";
import { unreachable } from "../../core/result.ts";
import type { Item } from "./item.ts";
import { blocksOf, canChange, scanBlocks, takeBlocks } from "./markdown-blocks.ts";
import { EMPTY_TAIL, type Shown, type Tail, type View } from "./view-state.ts";

/** What the model says, as it says it. */
export function stepModel(view: View, event: ModelTurnEvent): Shown {
  switch (event.type) {
    case "request_started":
      return { view: { ...doing(view, "thinking"), tail: EMPTY_TAIL }, items: [] };
    case "text_delta":
      return grown(view, "answer", event.text);
    case "reasoning_delta":
      return grown(view, "reasoning", event.text);
    case "delta_withdrawn":
      return withdrawn(view);
    case "message": {
      const { content } = event.message;
      const last = { ...view.last, answer: content === "" ? view.last.answer : content };
      const { tail } = view;
      // A reply that did not stream is whole only here.
      const streamed = tail.kind === "answer" && (tail.text !== "" || tail.begun);
      const rest = streamed
        ? tailItems(view)
        : [...tailItems(view), ...blocksOf(content).flatMap(answerItems)];
      return { view: { ...view, last, tail: EMPTY_TAIL }, items: rest };
    }
    case "profile_switched": {
      const facts = { ...view.facts, profile: event.profile, model: event.model };
      const text = `Model: ${event.profile === event.model ? event.model : `${event.profile} (${event.model})`}`;
      return { view: { ...view, facts }, items: [{ type: "notice", text }] };
    }
    case "retrying": {
      const when = `retry ${event.attempt} of ${event.of} in ${formatDuration(event.wait_ms)}`;
      return {
        view: doing(view, "waiting to retry"),
        items: [{ type: "warning", text: `${event.reason}; ${when}` }],
      };
    }
    default:
      return unreachable(event);
  }
}

const doing = (view: View, what: string): View =>
  view.task === undefined ? view : { ...view, task: { ...view.task, doing: what } };

function grown(view: View, kind: Tail["kind"], text: string): Shown {
  const turned = view.tail.kind !== kind;
  const before = turned ? { ...EMPTY_TAIL, kind } : view.tail;
  const items = turned ? tailItems(view) : [];
  const whole = before.text + text;
  const last = kind === "reasoning" ? { ...view.last, reasoning: whole } : view.last;
  const next = view.task?.doing === "answering" || kind === "reasoning" ? view : doing(view, "answering");
  // The text is left unjoined as long as nobody has to look at it: a long line would be copied with each delta.
  const looked = kind === "answer" && canChange(before.scan, before.text, text);
  const scan = looked ? scanBlocks(before.scan, whole) : before.scan;
  if (scan.ends.length === 0 || kind === "reasoning") {
    return { view: { ...next, last, tail: { ...before, text: whole, scan } }, items };
  }
  const taken = takeBlocks(scan, whole);
  const tail = { kind, text: taken.rest, scan: taken.scan, begun: true };
  return { view: { ...next, last, tail }, items: [...items, ...taken.blocks.flatMap(answerItems)] };
}

/** What was already printed cannot be taken back; that it does not count can be said. */
function withdrawn(view: View): Shown {
  const items: readonly Item[] = view.tail.begun
    ? [{ type: "warning", text: "The answer broke off and starts again; what is above of it does not count" }]
    : [];
  return { view: { ...view, tail: EMPTY_TAIL }, items };
}

function tailItems({ tail, choices }: View): readonly Item[] {
  if (tail.kind === "answer") return answerItems(tail.text);
  return tail.text.trim() === "" || !choices.reasoning ? [] : [{ type: "reasoning", text: tail.text }];
}

const answerItems = (text: string): readonly Item[] => (text.trim() === "" ? [] : [{ type: "answer", text }]);
