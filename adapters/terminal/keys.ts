import { KeybindingsManager, type KeyId, matchesKey, TUI_KEYBINDINGS } from "@earendil-works/pi-tui";
import { isFields } from "../../core/lenient.ts";
import { nearest } from "../../core/nearest.ts";

/** What keys do outside the text: the action, its keys, and a line for `/help`. */
const APP_ACTIONS = {
  "app.cancel": { keys: ["escape"], does: "cancel the task" },
  "app.interrupt": { keys: ["ctrl+c"], does: "clear the editor, else cancel; twice: exit" },
  "app.exit": { keys: ["ctrl+d"], does: "exit, on an empty line" },
  "app.suspend": { keys: ["ctrl+z"], does: "suspend" },
  "app.follow_up": { keys: ["alt+enter"], does: "while a task runs: send when it would end" },
  "app.take_back": { keys: ["alt+up"], does: "take queued messages back into the editor" },
  "app.model": { keys: ["ctrl+l"], does: "choose the model" },
  "app.expand": { keys: ["ctrl+o"], does: "show the output of tools whole" },
  "app.reasoning": { keys: ["ctrl+t"], does: "show what the model thinks" },
  "app.external_editor": { keys: ["ctrl+g"], does: "edit in $VISUAL or $EDITOR" },
  "app.history_search": { keys: ["ctrl+r"], does: "search the history" },
  "app.history_previous": { keys: ["ctrl+p"], does: "earlier prompt (also Up)" },
  "app.history_next": { keys: ["ctrl+n"], does: "later prompt (also Down)" },
} as const satisfies Record<string, { readonly keys: readonly KeyId[]; readonly does: string }>;

export type AppAction = keyof typeof APP_ACTIONS;

/** Keys inside the text: our name for the action and the one of the editor component. */
const EDITOR_ACTIONS = {
  "editor.left": ["tui.editor.cursorLeft", ["left", "ctrl+b"]],
  "editor.right": ["tui.editor.cursorRight", ["right", "ctrl+f"]],
  "editor.up": ["tui.editor.cursorUp", ["up"]],
  "editor.down": ["tui.editor.cursorDown", ["down"]],
  "editor.word_left": ["tui.editor.cursorWordLeft", ["alt+b", "alt+left", "ctrl+left"]],
  "editor.word_right": ["tui.editor.cursorWordRight", ["alt+f", "alt+right", "ctrl+right"]],
  "editor.line_start": ["tui.editor.cursorLineStart", ["ctrl+a", "home"]],
  "editor.line_end": ["tui.editor.cursorLineEnd", ["ctrl+e", "end"]],
  "editor.page_up": ["tui.editor.pageUp", ["pageUp"]],
  "editor.page_down": ["tui.editor.pageDown", ["pageDown"]],
  "editor.delete_left": ["tui.editor.deleteCharBackward", ["backspace", "ctrl+h"]],
  "editor.delete_right": ["tui.editor.deleteCharForward", ["delete", "ctrl+d"]],
  "editor.delete_word_left": ["tui.editor.deleteWordBackward", ["ctrl+w", "alt+backspace"]],
  "editor.delete_word_right": ["tui.editor.deleteWordForward", ["alt+d", "alt+delete"]],
  "editor.kill_to_start": ["tui.editor.deleteToLineStart", ["ctrl+u"]],
  "editor.kill_to_end": ["tui.editor.deleteToLineEnd", ["ctrl+k"]],
  "editor.yank": ["tui.editor.yank", ["ctrl+y"]],
  "editor.yank_earlier": ["tui.editor.yankPop", ["alt+y"]],
  "editor.undo": ["tui.editor.undo", ["ctrl+-", "ctrl+_", "ctrl+shift+-"]],
  "editor.new_line": ["tui.input.newLine", ["shift+enter", "ctrl+j", "alt+enter"]],
  "editor.submit": ["tui.input.submit", ["enter"]],
  "editor.complete": ["tui.input.tab", ["tab"]],
} as const satisfies Record<string, readonly [keyof typeof TUI_KEYBINDINGS, readonly KeyId[]]>;

export type Keys = {
  readonly is: (data: string, action: AppAction) => boolean;
  readonly editor: KeybindingsManager;
  /** Each action with its keys, for people. */
  readonly list: readonly { readonly action: string; readonly keys: string; readonly does: string }[];
  readonly warnings: readonly string[];
};

/** `custom` is what keybindings.json holds: an object of actions to a key or a list of keys. */
export function keysFrom(custom: unknown): Keys {
  const { chosen, warnings } = readCustom(custom);
  const app = new Map<string, readonly KeyId[]>(
    Object.entries(APP_ACTIONS).map(([action, { keys }]) => [action, chosen.get(action) ?? keys]),
  );
  const editor: Record<string, KeyId[]> = { "tui.editor.jumpForward": [], "tui.editor.jumpBackward": [] };
  for (const [action, [id, keys]] of Object.entries(EDITOR_ACTIONS)) {
    editor[id] = [...(chosen.get(action) ?? keys)];
  }
  return {
    is: (data, action) => (app.get(action) ?? []).some((key) => matchesKey(data, key)),
    editor: new KeybindingsManager(TUI_KEYBINDINGS, editor),
    list: Object.entries(APP_ACTIONS).map(([action, { does }]) => ({
      action,
      keys: (app.get(action) ?? []).join(", "),
      does,
    })),
    warnings,
  };
}

function readCustom(custom: unknown): {
  readonly chosen: ReadonlyMap<string, readonly KeyId[]>;
  readonly warnings: readonly string[];
} {
  const chosen = new Map<string, readonly KeyId[]>();
  if (custom === undefined) return { chosen, warnings: [] };
  if (!isFields(custom))
    return { chosen, warnings: ["keybindings.json must be an object of actions to keys"] };
  const known = [...Object.keys(APP_ACTIONS), ...Object.keys(EDITOR_ACTIONS)];
  const warnings: string[] = [];
  for (const [action, value] of Object.entries(custom)) {
    const keys = Array.isArray(value) ? value : [value];
    const wrong = keys.find((key) => !isKeyId(key));
    if (!known.includes(action)) {
      const near = nearest(action, known);
      warnings.push(
        `keybindings.json: there is no action "${action}"${near ? `; did you mean "${near}"?` : ""}`,
      );
    } else if (wrong !== undefined) {
      warnings.push(
        `keybindings.json: "${String(wrong)}" for "${action}" is no key; write for example "ctrl+x"`,
      );
    } else {
      chosen.set(action, keys.filter(isKeyId));
    }
  }
  return { chosen, warnings };
}

const NAMED =
  /^(?:escape|enter|tab|space|backspace|delete|insert|home|end|pageUp|pageDown|up|down|left|right|f\d{1,2}|[!-~])$/;

function isKeyId(value: unknown): value is KeyId {
  if (typeof value !== "string") return false;
  const parts = value.split("+");
  const base = parts.pop() ?? "";
  return NAMED.test(base) && parts.every((part) => /^(?:ctrl|shift|alt|super)$/.test(part));
}
