import { expect, test } from "bun:test";
import { systemHost } from "../../adapters/host/host.ts";
import { after } from "../../adapters/host/timer.ts";

const DAY_MS = 24 * 3_600_000;

/** What comes first: the callback, or enough turns of the event loop for a timer that fires at once. */
function firedWithin(ms: number, wait: number): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = after(wait, () => resolve(true));
    setTimeout(() => {
      cancel();
      resolve(false);
    }, ms);
  });
}

test.each([2 ** 31 - 1, 2 ** 31, 2 ** 32 + 1, 30 * DAY_MS, 1e15])(
  "after(%d) does not fire at once",
  async (ms) => {
    expect(await firedWithin(20, ms)).toBe(false);
  },
);

test("after() fires when its time has come", async () => {
  const startedMs = performance.now();
  expect(await firedWithin(5000, 10)).toBe(true);
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(9);
});

test("after() never fires once it was taken back", async () => {
  let fired = false;
  after(0, () => {
    fired = true;
  })();
  await firedWithin(5, DAY_MS);
  expect(fired).toBe(false);
});

test("systemHost.wait() of a month ends when it is aborted, and not before", async () => {
  const abort = new AbortController();
  const waited = systemHost.wait(30 * DAY_MS, abort.signal).then(
    () => "over",
    (reason: unknown) => reason,
  );
  expect(await Promise.race([waited, firedWithin(20, DAY_MS)])).toBe(false);
  abort.abort("enough");
  expect(await waited).toBe("enough");
});
