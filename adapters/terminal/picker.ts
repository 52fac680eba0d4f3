import { fuzzyFilter, matchesKey } from "@earendil-works/pi-tui";
import { oneLine } from "../../core/sanitize.ts";
import type { Painter } from "./theme.ts";
import { clipped } from "./wrap.ts";

export type Choice = {
  readonly value: string;
  readonly label: string;
  readonly detail?: string;
};

/** A list to choose from; typing narrows it. */
export type Picker = {
  readonly title: string;
  readonly choices: readonly Choice[];
  readonly query: string;
  readonly at: number;
};

export const pickerOf = (title: string, choices: readonly Choice[], at = 0): Picker => ({
  title,
  choices,
  query: "",
  at,
});

export const matching = ({ choices, query }: Picker): readonly Choice[] =>
  query === "" ? choices : fuzzyFilter([...choices], query, ({ label, detail = "" }) => `${label} ${detail}`);

export type PickerStep =
  | { readonly type: "open"; readonly picker: Picker }
  | { readonly type: "chosen"; readonly value: string }
  | { readonly type: "closed" };

/** Pure: what a key does to a picker. */
export function stepPicker(picker: Picker, data: string): PickerStep {
  const found = matching(picker);
  const moved = (by: number): PickerStep => {
    const at = Math.max(0, Math.min(found.length - 1, picker.at + by));
    return { type: "open", picker: { ...picker, at } };
  };
  if (matchesKey(data, "escape") || matchesKey(data, "ctrl+c")) return { type: "closed" };
  if (matchesKey(data, "enter")) {
    const chosen = found[picker.at];
    return chosen ? { type: "chosen", value: chosen.value } : { type: "closed" };
  }
  if (matchesKey(data, "up") || matchesKey(data, "ctrl+p")) return moved(-1);
  if (matchesKey(data, "down") || matchesKey(data, "ctrl+n")) return moved(1);
  if (matchesKey(data, "pageUp")) return moved(-PAGE);
  if (matchesKey(data, "pageDown")) return moved(PAGE);
  if (matchesKey(data, "home")) return moved(-found.length);
  if (matchesKey(data, "end")) return moved(found.length);
  if (matchesKey(data, "backspace")) return narrowed(picker, picker.query.slice(0, -1));
  return data >= " " && !data.startsWith("\u001b")
    ? narrowed(picker, picker.query + data)
    : { type: "open", picker };
}

const PAGE = 8;

const narrowed = (picker: Picker, query: string): PickerStep => ({
  type: "open",
  picker: { ...picker, query, at: 0 },
});

/** At most `rows` lines, the chosen one among them. */
export function pickerLines(picker: Picker, width: number, rows: number, paint: Painter): readonly string[] {
  const found = matching(picker);
  const room = Math.max(1, rows - 2);
  const first = Math.max(0, Math.min(picker.at - Math.floor(room / 2), found.length - room));
  const labels = found.slice(first, first + room);
  const detailed = labels.some(({ detail = "" }) => detail !== "");
  const column = Math.min(
    detailed ? Math.floor(width * 0.6) : width - 2,
    labels.reduce((most, { label }) => Math.max(most, Bun.stringWidth(label)), 0),
  );
  const lines = labels.map(({ label, detail = "" }, index) => {
    const chosen = first + index === picker.at;
    const name = clipped(oneLine(label, 400), column);
    const gap = " ".repeat(Math.max(0, column - Bun.stringWidth(name)));
    const line = clipped(`${chosen ? "→ " : "  "}${name}${gap}  ${oneLine(detail, 400)}`, width);
    return chosen ? paint("selected", line) : line;
  });
  const count = found.length === 0 ? "nothing fits" : `${picker.at + 1} of ${found.length}`;
  const keys = `${count} · Enter chooses, Esc leaves, typing narrows`;
  return [
    clipped(`${paint("header", picker.title)} ${picker.query}`, width),
    ...lines,
    paint("footer", clipped(keys, width)),
  ];
}
