import type { CaptureRequest } from "../../../core/ports/panes.ts";

/** The tmux command for what is to be seen of a pane. */
export function captureCommand(pane: string, request: CaptureRequest): string {
  const flags = [
    request.joinWrapped ? "-J" : "",
    request.trailingSpaces ? "-N" : "",
    request.escapes ? "-e" : "",
    request.alternate ? "-a" : "",
    request.start === undefined ? "" : `-S ${request.start}`,
    request.end === undefined ? "" : `-E ${request.end}`,
  ];
  return `capture-pane -p -t ${pane} ${flags.filter((flag) => flag !== "").join(" ")}`;
}

/** What the client gave as bytes is UTF-8. Blank lines below the last text are no part of what is seen. */
export const textOf = (lines: readonly string[]): string =>
  Buffer.from(lines.join("\n"), "latin1").toString("utf8").replace(/\n+$/, "");
