import type { Gap, Goal, Row, Unit } from "./rows.ts";

/** A row with what follows from it; the same in the table and in the JSON. */
export type Judged = Row & { readonly ratio: number | undefined; readonly reached: "yes" | "no" | "-" };

export function judged(row: Row): Judged {
  const ratio = row.floor && row.value / row.floor.value;
  return { ...row, ratio, reached: reached(row) };
}

function reached({ value, floor, goal }: Row): Judged["reached"] {
  switch (goal.type) {
    case "none":
      return "-";
    case "value":
      return yesNo(value <= goal.most);
    case "over":
      return yesNo(value - (floor?.value ?? 0) <= goal.most);
    case "ratio":
      return yesNo(floor !== undefined && value <= goal.most * floor.value);
  }
}

const yesNo = (is: boolean): "yes" | "no" => (is ? "yes" : "no");

const TITLES = ["what", "buddy", "floor", "of", "ratio", "goal", "reached"];
const LEFT = new Set([0, 3, 5, 6]);

/** The one table of `make bench`, then what could not be measured. */
export function tableOf(rows: readonly Judged[], gaps: readonly Gap[]): string {
  const cells = [TITLES, ...rows.map(cellsOf)];
  const widths = TITLES.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  const lines = cells.map((line) =>
    line
      .map((cell, column) =>
        LEFT.has(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
  const rule = widths.map((width) => "-".repeat(width)).join("  ");
  const skipped = gaps.map(({ what, reason }) => `skipped: ${what}: ${reason}`);
  return [lines[0], rule, ...lines.slice(1), ...skipped, ""].join("\n");
}

function cellsOf(row: Judged): readonly string[] {
  const { what, unit, value, floor, ratio, goal } = row;
  return [
    what,
    figure(value, unit),
    floor ? figure(floor.value, unit) : "",
    floor?.name ?? "",
    ratio === undefined ? "" : `${ratio.toFixed(2)}×`,
    goalText(goal, unit),
    row.reached,
  ];
}

function goalText(goal: Goal, unit: Unit): string {
  switch (goal.type) {
    case "none":
      return "";
    case "ratio":
      return `≤ ${goal.most}×`;
    case "over":
      return `≤ ${goal.most} ${unit} over`;
    case "value":
      return `≤ ${goal.most} ${unit}`;
  }
}

const figure = (value: number, unit: Unit): string => `${value.toFixed(unit === "MB" ? 1 : 2)} ${unit}`;
