import { matchesKey } from "@earendil-works/pi-tui";
import type { ApprovalRequest, Decision } from "../../core/event.ts";
import { spelledOut } from "../../core/sanitize.ts";
import { diffLines } from "./diff-lines.ts";
import type { Painter } from "./theme.ts";
import { clipped, wrapped } from "./wrap.ts";

/** Typing that was under way when a question appeared is not an answer to it. */
export const GUARD_MS = 300;

export type ApprovalAnswer =
  | { readonly type: "decided"; readonly decision: Decision }
  | { readonly type: "reason" }
  | { readonly type: "edit" }
  | { readonly type: "cancel" }
  | { readonly type: "scroll"; readonly by: -1 | 1; readonly unit: "line" | "page" }
  | { readonly type: "none" };

/** What a key says to a question. Only shell commands can be edited: what a file or page is comes from elsewhere. */
export function answerOf(data: string, { need }: ApprovalRequest): ApprovalAnswer {
  if (matchesKey(data, "ctrl+c")) return { type: "cancel" };
  if (matchesKey(data, "enter") || matchesKey(data, "escape")) return no();
  if (matchesKey(data, "up")) return { type: "scroll", by: -1, unit: "line" };
  if (matchesKey(data, "down")) return { type: "scroll", by: 1, unit: "line" };
  if (matchesKey(data, "pageUp")) return { type: "scroll", by: -1, unit: "page" };
  if (matchesKey(data, "pageDown")) return { type: "scroll", by: 1, unit: "page" };
  switch (data.toLowerCase()) {
    case "y":
      return { type: "decided", decision: { type: "allowed", by: "user", scope: "once" } };
    case "a":
      return { type: "decided", decision: { type: "allowed", by: "user", scope: "session" } };
    case "n":
      return no();
    case "r":
      return { type: "reason" };
    case "e":
      return need.kind === "shell" ? { type: "edit" } : { type: "none" };
    default:
      return { type: "none" };
  }
}

const no = (): ApprovalAnswer => ({ type: "decided", decision: denied("") });

export const denied = (reason: string): Decision => ({
  type: "denied",
  by: "user",
  reason: reason === "" ? "the user said no" : `the user said no: ${reason}`,
});

export type ApprovalLook = {
  readonly width: number;
  readonly rows: number;
  readonly paint: Painter;
  /** `user@host`, or the name of the container. */
  readonly place: string;
  readonly scrolled: number;
  /** The user is still typing something else. */
  readonly typing: boolean;
};

/** The question in at most `rows` lines; a long command scrolls, nothing of it is left out. */
export function approvalLines(request: ApprovalRequest, look: ApprovalLook): readonly string[] {
  const subject = subjectLines(request, look);
  const below = factLines(request, look);
  const { from, shown } = windowOn(subject.length, below.length, look);
  if (shown === subject.length) return [...subject, ...below];
  const where = `lines ${from + 1}–${from + shown} of ${subject.length} · ↑ ↓ PgUp PgDn`;
  return [...subject.slice(from, from + shown), look.paint("warning", clipped(where, look.width)), ...below];
}

/** Where a question stands after a scroll, and never past its ends. */
export function scrolledTo(
  request: ApprovalRequest,
  look: ApprovalLook,
  { by, unit }: ApprovalAnswer & { type: "scroll" },
): number {
  const all = subjectLines(request, look).length;
  const { from, shown } = windowOn(all, factLines(request, look).length, look);
  // A line of the page before stays, so that the eye finds its place.
  const step = unit === "line" ? 1 : Math.max(1, shown - 1);
  return Math.max(0, Math.min(all - shown, from + by * step));
}

function windowOn(all: number, below: number, { rows, scrolled }: ApprovalLook) {
  const room = Math.max(3, rows - below);
  const shown = all <= room ? all : room - 1;
  return { from: Math.max(0, Math.min(scrolled, all - shown)), shown };
}

function factLines({ need }: ApprovalRequest, look: ApprovalLook): readonly string[] {
  const { paint, width } = look;
  const facts = `risk ${need.risk} · mutation ${yesNo(need.mutation)} · privesc ${yesNo(need.privesc)}`;
  return [
    paint(need.risk === "high" || need.privesc ? "warning" : "count", clipped(facts, width)),
    ...wrapped(`why: ${spelledOut(need.why)}`, width)
      .slice(0, 2)
      .map((line) => paint("arguments", line)),
    ...keyLines(need.kind === "shell", look),
  ];
}

function subjectLines(request: ApprovalRequest, { place, width, paint }: ApprovalLook): readonly string[] {
  const { need } = request;
  const lead = need.kind === "shell" ? `${place}$ ` : `${place} ${need.kind === "file" ? "write" : "fetch"} `;
  const lines = need.subject.split("\n").map(spelledOut);
  const asked = [...lines.slice(0, -1), `${lines.at(-1) ?? ""}${END}`];
  const plain = asked.flatMap((line, index) => wrapped(`${index === 0 ? lead : "  "}${line}`, width));
  const coloured = plain.map((line, index) => colourLine(line, index === 0 ? lead : "", paint));
  return need.kind === "file" && need.diff !== ""
    ? [...coloured, ...diffLines(need.diff, { paint, width })]
    : coloured;
}

const END = " -- approve?";

function colourLine(line: string, lead: string, paint: Painter): string {
  const rest = line.startsWith(lead) ? line.slice(lead.length) : line;
  const front = line.startsWith(lead) ? paint("prompt", lead) : "";
  if (!rest.endsWith(END)) return front + paint("command", rest);
  return `${front}${paint("command", rest.slice(0, -END.length))}${paint("warning", END)}`;
}

function keyLines(editable: boolean, { width, paint, typing }: ApprovalLook): readonly string[] {
  if (typing) return [paint("warning", clipped("you are typing: pause to answer", width))];
  const keys = [
    "[y] once",
    "[a] for this session",
    "[n] no",
    "[r] no, because…",
    ...(editable ? ["[e] edit"] : []),
  ];
  return wrapped(keys.join("  "), width).map((line) => paint("footer", line));
}

const yesNo = (value: boolean): string => (value ? "yes" : "no");
