/** A word to the user in place of the footer that goes away by itself. */
export type PassingHint = {
  readonly text: () => string;
  readonly say: (text: string) => void;
  readonly stop: () => void;
};

const SHOWN_MS = 2500;

export function passingHint(changed: () => void): PassingHint {
  let hint = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  const set = (text: string): void => {
    hint = text;
    changed();
  };
  return {
    text: () => hint,
    say: (text) => {
      clearTimeout(timer);
      timer = setTimeout(set, SHOWN_MS, "");
      set(text);
    },
    stop: () => clearTimeout(timer),
  };
}
