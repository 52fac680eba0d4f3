/** Draws again and again while something runs, so that its time goes on. */
export type Spinner = { readonly follow: (what: "running" | "idle") => void };

const TURN_MS = 100;

export function spinner(draw: () => void): Spinner {
  let timer: ReturnType<typeof setInterval> | undefined;
  return {
    follow: (what) => {
      if (what === "running") timer ??= setInterval(draw, TURN_MS);
      else {
        clearInterval(timer);
        timer = undefined;
      }
    },
  };
}
