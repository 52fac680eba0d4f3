export type Suspendable = {
  /** Gives the terminal back. */
  readonly leave: () => void;
  /** Takes it again. */
  readonly goOn: () => void;
};

/** Where there is no shell to go back to, nothing is stopped and nothing continues: then buddy goes on by itself. */
const NOT_STOPPED_MS = 200;

/** Ctrl-Z, as the shell expects it. */
export function suspend({ leave, goOn }: Suspendable): void {
  leave();
  let gone = true;
  const once = (): void => {
    process.off("SIGCONT", once);
    if (gone) goOn();
    gone = false;
  };
  process.on("SIGCONT", once);
  process.kill(0, "SIGTSTP");
  setTimeout(once, NOT_STOPPED_MS);
}
