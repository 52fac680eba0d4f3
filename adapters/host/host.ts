import type { Host } from "../../core/ports/host.ts";
import { after } from "./timer.ts";

export const systemHost: Host = {
  unixMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  random: () => Math.random(),
  wait: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const onAbort = () => {
        cancel();
        reject(signal.reason);
      };
      const cancel = after(ms, () => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      });
      signal.addEventListener("abort", onAbort, { once: true });
    }),
};
