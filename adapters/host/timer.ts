/** The longest wait that a timer of the platform knows; a longer one would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** Calls back after any number of milliseconds. The result takes that back. */
export function after(ms: number, callback: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const arm = (left: number): void => {
    const wait = Math.min(left, LONGEST_MS);
    timer = setTimeout(() => (left > wait ? arm(left - wait) : callback()), wait);
  };
  arm(ms);
  return () => clearTimeout(timer);
}

/** Settles with the work, or after that time without it; the work goes on either way. */
export async function orAfter(ms: number, work: Promise<unknown>): Promise<"done" | "late"> {
  const late = Promise.withResolvers<"late">();
  const cancel = after(ms, () => late.resolve("late"));
  const first = await Promise.race([work.then(() => "done" as const), late.promise]);
  cancel();
  return first;
}
