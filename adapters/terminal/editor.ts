import {
  type AutocompleteProvider,
  Editor,
  type KeybindingsManager,
  setKeybindings,
  type Terminal,
  TuiMainScreen,
} from "@earendil-works/pi-tui";
import { onlyColours } from "./only-colours.ts";
import type { Painter } from "./theme.ts";
import type { Size } from "./tty.ts";

/** The text that the user is writing. */
export type PromptEditor = {
  readonly key: (data: string) => void;
  readonly paste: (text: string) => void;
  /** With folded pastes unfolded. */
  readonly text: () => string;
  readonly isEmpty: () => boolean;
  readonly set: (text: string) => void;
  readonly insert: (text: string) => void;
  readonly cursor: () => { readonly line: number; readonly col: number };
  readonly lineCount: () => number;
  /** Takes the text, as Enter would. */
  readonly take: () => string;
  readonly isCompleting: () => boolean;
  readonly lines: (prompt: string, width: number) => readonly string[];
};

export type EditorDeps = {
  readonly paint: () => Painter;
  readonly size: () => Size;
  readonly keys: KeybindingsManager;
  readonly completion: AutocompleteProvider;
  readonly changed: () => void;
  readonly submitted: (text: string) => void;
};

/** Marks the lines above and below the text, which are shown only when something is hidden there. */
const BORDER = "\u0000";
const CURSOR = /\u001b_pi:c\u0007\u001b\[7m/g;

/** The editor of pi-tui without its frame; classes because that library is made of them. */
class FramelessEditor extends Editor {
  protected override renderTopBorder(_width: number, hidden: number): string {
    return hidden > 0 ? `${BORDER}↑ ${hidden} more` : BORDER;
  }
  protected override renderBottomBorder(_width: number, hidden: number): string {
    return hidden > 0 ? `${BORDER}↓ ${hidden} more` : BORDER;
  }
}

/** Never started: the editor asks it for the size of the terminal and tells it that something has changed. */
class Surroundings extends TuiMainScreen {
  readonly #changed: () => void;
  constructor(terminal: Terminal, changed: () => void) {
    super(terminal);
    this.#changed = changed;
  }
  override requestRender(): void {
    this.#changed();
  }
}

export function promptEditor(deps: EditorDeps): PromptEditor {
  setKeybindings(deps.keys);
  const by = (role: string) => (text: string) => deps.paint()(role, text);
  const editor = new FramelessEditor(
    new Surroundings(terminalOf(deps.size), deps.changed),
    {
      borderColor: (text) => text,
      selectList: {
        selectedPrefix: by("selected"),
        selectedText: by("selected"),
        description: by("footer"),
        scrollInfo: by("footer"),
        noMatch: by("footer"),
      },
    },
    { autocompleteMaxVisible: 6 },
  );
  editor.focused = true;
  editor.setAutocompleteProvider(deps.completion);
  editor.onSubmit = deps.submitted;

  return {
    key: (data) => editor.handleInput(data),
    paste: (text) => editor.handleInput(`\u001b[200~${plainText(text)}\u001b[201~`),
    text: () => editor.getExpandedText(),
    isEmpty: () => editor.getText() === "",
    set: (text) => editor.setText(plainText(text)),
    insert: (text) => editor.insertTextAtCursor(plainText(text)),
    cursor: () => editor.getCursor(),
    lineCount: () => editor.getLines().length,
    take: () => {
      const text = editor.getExpandedText().trim();
      editor.setText("");
      return text;
    },
    isCompleting: () => editor.isShowingAutocomplete(),
    lines: (prompt, width) =>
      editorLines(editor.render(Math.max(4, width - Bun.stringWidth(prompt))), prompt, deps.paint()),
  };
}

function editorLines(rendered: readonly string[], prompt: string, paint: Painter): readonly string[] {
  const indent = " ".repeat(Bun.stringWidth(prompt));
  let textLines = 0;
  let borders = 0;
  return rendered.flatMap((line) => {
    if (line.startsWith(BORDER)) {
      borders += 1;
      const said = line.slice(BORDER.length).trim();
      if (said !== "" && borders === 1) textLines += 1; // the line with the prompt is above
      return said === "" ? [] : [paint("footer", indent + said)];
    }
    // Below the second border is the list of completions.
    const first = borders < 2 && textLines++ === 0;
    return [`${first ? paint("prompt", prompt) : indent}${shownLine(line)}`];
  });
}

/** The cursor is drawn, not placed: the real one is parked (see live-region.ts). */
function shownLine(line: string): string {
  const drawn = line.replace(CURSOR, "\u001b[7m").trimEnd();
  return onlyColours(drawn);
}

/** Nothing in the text steers the terminal: what was pasted may come from anywhere. */
const plainText = (text: string): string =>
  text
    .replace(/\r\n?/g, "\n")
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "");

function terminalOf(size: () => Size): Terminal {
  const nothing = () => {};
  return {
    start: nothing,
    stop: nothing,
    drainInput: async () => {},
    write: nothing,
    get columns() {
      return size().columns;
    },
    get rows() {
      return size().rows;
    },
    kittyProtocolActive: false,
    moveBy: nothing,
    hideCursor: nothing,
    showCursor: nothing,
    clearLine: nothing,
    clearFromCursor: nothing,
    clearScreen: nothing,
    setTitle: nothing,
    setProgress: nothing,
  };
}
