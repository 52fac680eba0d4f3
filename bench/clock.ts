/** Milliseconds on a clock that this process and the endpoint share: the wall at start, monotonic from there. */
export const clockMs = (): number => performance.timeOrigin + performance.now();
