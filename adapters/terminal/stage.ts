import type { Appearance, AppearanceSettings } from "./appearance.ts";
import type { HistoryFile } from "./history-file.ts";
import type { Keys } from "./keys.ts";
import type { Notify } from "./notify.ts";
import type { Screen } from "./screen.ts";
import type { Tty } from "./tty.ts";
import type { Choices, View } from "./view-state.ts";

export type ReplSettings = AppearanceSettings & {
  readonly choices: Choices;
  readonly notify: Notify;
  readonly keys: Keys;
  /** Empty while everything is asked. */
  readonly policy: string;
};

export type ReplDeps = {
  readonly tty: Tty;
  readonly settings: ReplSettings;
  readonly history: HistoryFile;
};

/** What a dialogue shares with the screen it is shown on. */
export type Stage = ReplDeps & {
  readonly shown: Screen;
  readonly appearance: Appearance;
  readonly view: () => View;
  readonly setView: (view: View) => void;
  readonly setLive: (live: () => readonly string[]) => void;
  readonly stop: (code: number) => void;
  readonly fail: (error: unknown) => void;
};
