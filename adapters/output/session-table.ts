import type { SessionSummary } from "../../core/session-summary.ts";
import type { Paint } from "./paint.ts";

const MODEL_CHARS = 24;

type Row = Readonly<Record<"id" | "when" | "turns" | "model" | "title", string>>;

/** Sessions as lines for people. `timeOf` writes a moment in the reader's time. */
export function sessionTable(
  sessions: readonly SessionSummary[],
  timeOf: (unixMs: number) => string,
  paint: Paint,
): string {
  const rows = sessions.map(
    (session): Row => ({
      id: session.id,
      when: session.lastUsedMs === 0 ? "" : timeOf(session.lastUsedMs),
      turns: `${session.turns.type === "about" ? "~" : ""}${session.turns.count}`,
      model: cut(session.model, MODEL_CHARS),
      title:
        session.damage === undefined ? session.title : paint("red", `(cannot be used: ${session.damage})`),
    }),
  );
  const width = (of: (row: Row) => string, title: string) =>
    rows.reduce((most, row) => Math.max(most, Bun.stringWidth(of(row))), title.length);
  const [id, when, turns, model] = [
    width((row) => row.id, "ID"),
    width((row) => row.when, "LAST USED"),
    width((row) => row.turns, "TURNS"),
    width((row) => row.model, "MODEL"),
  ];
  const line = (row: Row) =>
    [
      padded(row.id, id),
      padded(row.when, when),
      row.turns.padStart(turns),
      padded(row.model, model),
      row.title,
    ]
      .join("  ")
      .trimEnd();
  const heads = line({ id: "ID", when: "LAST USED", turns: "TURNS", model: "MODEL", title: "TITLE" });
  return [paint("dim", heads), ...rows.map(line)].map((text) => `${text}\n`).join("");
}

const padded = (text: string, width: number): string =>
  text + " ".repeat(Math.max(0, width - Bun.stringWidth(text)));

const cut = (text: string, chars: number): string =>
  text.length > chars ? `${text.slice(0, chars - 1)}…` : text;
