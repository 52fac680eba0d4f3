/** What a control-mode client says, one line at a time. */
export type ControlEvent =
  | { readonly type: "output"; readonly pane: string; readonly text: string }
  /** The answer to one command of ours. */
  | { readonly type: "reply"; readonly ok: boolean; readonly lines: readonly string[] }
  /** Anything else that happened: `%window-renamed`, `%exit`, … with its words. */
  | { readonly type: "event"; readonly name: string; readonly words: string };

/** A reply to a command of ours has this bit set; one that a hook or the start caused has not. */
const OURS = 1;

/** Reads the stream of `tmux -C`. Text is one character per byte: what a pane shows need not be valid anything. */
export function controlReader(): (bytes: Uint8Array) => readonly ControlEvent[] {
  let rest = "";
  let open: { readonly stamp: string; readonly ours: boolean; readonly lines: string[] } | undefined;

  const closing = (line: string): ControlEvent | undefined => {
    if (open === undefined) return undefined;
    const ok = line === `%end ${open.stamp}`;
    if (!ok && line !== `%error ${open.stamp}`) {
      open.lines.push(line);
      return undefined;
    }
    const { ours, lines } = open;
    open = undefined;
    return ours ? { type: "reply", ok, lines } : undefined;
  };

  const eventOf = (line: string): ControlEvent | undefined => {
    if (open !== undefined) return closing(line);
    const [name = "", first = ""] = line.split(" ", 2);
    if (name === "%output") {
      return { type: "output", pane: first, text: unescaped(line.slice(name.length + first.length + 2)) };
    }
    const words = line.slice(name.length + 1);
    if (name !== "%begin") return { type: "event", name, words };
    open = { stamp: words, ours: (Number(words.split(" ")[2]) & OURS) === OURS, lines: [] };
    return undefined;
  };

  return (bytes) => {
    const lines = (rest + Buffer.from(bytes).toString("latin1")).split("\n");
    rest = lines.pop() ?? "";
    return lines.map(eventOf).filter((event) => event !== undefined);
  };
}

/** Control bytes and the backslash come as three octal digits. */
const unescaped = (text: string): string =>
  text.includes("\\")
    ? text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
    : text;
