import type { Controller } from "./controller.ts";

/** Pressed twice within this time, Ctrl-C exits. */
const TWICE_MS = 1500;

export type InputState = {
  /** Up and Down, and their keys that always mean the history. */
  readonly look: (direction: "earlier" | "later") => boolean;
  readonly isLookingBack: () => boolean;
  readonly search: () => void;
  readonly suspend: () => void;
  readonly externalEditor: () => void;
  readonly chooseModel: () => void;
  readonly monotonicMs: () => number;
};

/** What a key does while the user writes. */
export function editingKeys(c: Controller, state: InputState): (data: string) => void {
  let interruptedMs = Number.NEGATIVE_INFINITY;
  const { editor, keys } = c;

  const interrupt = () => {
    const nowMs = state.monotonicMs();
    const again = nowMs - interruptedMs < TWICE_MS;
    interruptedMs = nowMs;
    if (again) return c.quit(0);
    if (!editor.isEmpty()) return editor.set("");
    if (c.view().task || c.stopShell()) return cancel(c);
    c.hint("Ctrl-C again exits");
  };

  return (data) => {
    if (keys.is(data, "app.interrupt")) return interrupt();
    interruptedMs = Number.NEGATIVE_INFINITY;
    if (keys.is(data, "app.exit") && editor.isEmpty()) return c.quit(0);
    if (keys.is(data, "app.suspend")) return state.suspend();
    if (keys.is(data, "app.model")) return state.chooseModel();
    if (keys.is(data, "app.history_search")) return state.search();
    if (keys.is(data, "app.external_editor")) return state.externalEditor();
    if (keys.is(data, "app.expand")) return toggleExpanded(c);
    if (keys.is(data, "app.reasoning")) return toggleReasoning(c);
    if (keys.is(data, "app.take_back")) return takeBack(c);
    if (keys.is(data, "app.cancel") && !editor.isCompleting()) return cancel(c);
    if (keys.is(data, "app.follow_up") && c.view().task) return followUp(c);
    if (!editor.isCompleting() && looked(data, c, state)) return;
    editor.key(data);
  };
}

function looked(data: string, { keys, editor }: Controller, state: InputState): boolean {
  if (keys.is(data, "app.history_previous")) return state.look("earlier");
  if (keys.is(data, "app.history_next")) return state.look("later");
  const { line, col } = editor.cursor();
  if (keys.editor.matches(data, "tui.editor.cursorUp")) {
    return line === 0 && (col === 0 || state.isLookingBack()) && state.look("earlier");
  }
  if (!keys.editor.matches(data, "tui.editor.cursorDown")) return false;
  return state.isLookingBack() && line === editor.lineCount() - 1 && state.look("later");
}

/** Ends what runs: a command of the user's own, else the task. */
export function cancel({ view, send, stopShell }: Controller): void {
  const { task } = view();
  if (!stopShell() && task) send({ type: "cancel_task", task_id: task.id });
}

function followUp(c: Controller): void {
  const text = c.editor.take();
  if (text !== "") c.followUp(text);
}

function takeBack(c: Controller) {
  if (c.view().queue.length === 0) return c.hint("Nothing is queued");
  c.send({ type: "take_back" });
}

/** What is printed stays as it is: the last result is printed again, whole, and later ones come whole. */
function toggleExpanded(c: Controller): void {
  const { choices, last } = c.view();
  const expanded = !choices.expanded;
  c.choose({ expanded });
  if (expanded && last.result?.type === "result" && last.result.body.type !== "nothing") c.print(last.result);
  c.hint(expanded ? "Tool output is shown whole" : "Tool output is folded");
}

function toggleReasoning(c: Controller): void {
  const { choices, last, tail } = c.view();
  const reasoning = !choices.reasoning;
  c.choose({ reasoning });
  if (reasoning && tail.kind !== "reasoning" && last.reasoning.trim() !== "") {
    c.print({ type: "reasoning", text: last.reasoning });
  }
  c.hint(reasoning ? "Reasoning is shown" : "Reasoning is hidden");
}
