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
