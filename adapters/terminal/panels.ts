import { matchesKey } from "@earendil-works/pi-tui";
import type { PromptEditor } from "./editor.ts";
import { type Choice, type Picker, pickerLines, pickerOf, stepPicker } from "./picker.ts";
import { NEW_SEARCH, type Search, searchLines, stepSearch } from "./search.ts";
import type { Painter } from "./theme.ts";

type Answer = (value: string | undefined) => void;
type Panel =
  | { readonly type: "editing" }
  | { readonly type: "picking"; readonly picker: Picker; readonly answer: Answer }
  | { readonly type: "searching"; readonly search: Search }
  | { readonly type: "asking"; readonly label: string; readonly kept: string; readonly answer: Answer };

/** What stands where the editor is: the editor, or something that takes the keys in its place. */
export type Panels = {
  /** False: the key is for the editor. */
  readonly key: (data: string) => boolean;
  /** False: it was an ordinary prompt. */
  readonly submitted: (text: string) => boolean;
  readonly lines: (prompt: string, width: number, rows: number, paint: Painter) => readonly string[];
  readonly isAsking: () => boolean;
  readonly pick: (title: string, choices: readonly Choice[], at?: number) => Promise<string | undefined>;
  readonly ask: (label: string, text: string) => Promise<string | undefined>;
  readonly search: () => void;
};

export type PanelDeps = {
  readonly editor: PromptEditor;
  readonly entries: () => readonly string[];
  readonly changed: () => void;
};

export function panels({ editor, entries, changed }: PanelDeps): Panels {
  let panel: Panel = { type: "editing" };
  const show = (next: Panel): void => {
    panel = next;
    changed();
  };

  const pickingKey = ({ picker, answer }: Panel & { type: "picking" }, data: string) => {
    const next = stepPicker(picker, data);
    if (next.type === "open") return show({ type: "picking", picker: next.picker, answer });
    show({ type: "editing" });
    answer(next.type === "chosen" ? next.value : undefined);
  };

  const searchingKey = ({ search }: Panel & { type: "searching" }, data: string): boolean => {
    const next = stepSearch(search, data, entries());
    if (next.type === "open") show({ type: "searching", search: next.search });
    else show({ type: "editing" });
    if (next.type !== "taken") return true;
    editor.set(next.text);
    // Enter sends what was found at once; every other key only takes it.
    return !matchesKey(data, "enter");
  };

  /** What was in the editor before comes back. */
  const endAsking = ({ kept, answer }: Panel & { type: "asking" }, value: string | undefined): void => {
    show({ type: "editing" });
    editor.set(kept);
    answer(value);
  };

  return {
    key: (data) => {
      switch (panel.type) {
        case "editing":
          return false;
        case "picking":
          pickingKey(panel, data);
          return true;
        case "searching":
          return searchingKey(panel, data);
        case "asking":
          if (!matchesKey(data, "escape") && !matchesKey(data, "ctrl+c")) return false;
          endAsking(panel, undefined);
          return true;
      }
    },
    submitted: (text) => {
      if (panel.type !== "asking") return false;
      endAsking(panel, text);
      return true;
    },
    isAsking: () => panel.type === "asking",
    lines: (prompt, width, rows, paint) => {
      if (panel.type === "picking") return pickerLines(panel.picker, width, rows, paint);
      if (panel.type === "searching") return searchLines(panel.search, width, paint);
      return editor.lines(panel.type === "asking" ? panel.label : prompt, width);
    },
    pick: (title, choices, at) =>
      new Promise((answer) => show({ type: "picking", picker: pickerOf(title, choices, at), answer })),
    ask: (label, text) =>
      new Promise((answer) => {
        show({ type: "asking", label, kept: editor.text(), answer });
        editor.set(text);
      }),
    search: () => show({ type: "searching", search: NEW_SEARCH }),
  };
}
