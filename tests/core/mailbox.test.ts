import { expect, test } from "bun:test";
import { mailbox } from "../../core/mailbox.ts";

test("mailbox() gives everything pushed so far at once, in order", async () => {
  const box = mailbox<number>();
  box.push(1);
  box.push(2);
  expect(await box.take()).toEqual([1, 2]);
});

test("mailbox() lets the reader wait for the next value", async () => {
  const box = mailbox<number>();
  const taken = box.take();
  box.push(1);
  expect(await taken).toEqual([1]);
});

test("mailbox() gives what is left after it was closed, then nothing", async () => {
  const box = mailbox<number>();
  box.push(1);
  box.close();
  box.push(2);
  expect([await box.take(), await box.take(), await box.take()]).toEqual([[1], [], []]);
});

test("mailbox() wakes a waiting reader when it is closed", async () => {
  const box = mailbox<number>();
  const taken = box.take();
  box.close();
  expect(await taken).toEqual([]);
});

test("mailbox() holds a writer that puts until the reader comes back for more", async () => {
  const box = mailbox<number>();
  const trace: string[] = [];
  const writing = (async () => {
    for (const value of [1, 2]) {
      await box.put(value);
      trace.push(`put ${value}`);
    }
    box.close();
  })();
  for (let taken = await box.take(); taken.length > 0; taken = await box.take()) trace.push(`took ${taken}`);
  await writing;
  expect(trace).toEqual(["took 1", "put 1", "took 2", "put 2"]);
});

test("mailbox() holds nobody once it is closed", async () => {
  const box = mailbox<number>();
  const held = box.put(1);
  box.close();
  await held;
  await box.put(2);
  expect(await box.take()).toEqual([1]);
});

test("mailbox() says whether something lies there that was not taken", async () => {
  const box = mailbox<number>();
  expect(box.isWaiting()).toBe(false);
  box.push(1);
  expect(box.isWaiting()).toBe(true);
  await box.take();
  // The reader is still busy with it until it asks for more.
  expect(box.isWaiting()).toBe(true);
  const next = box.take();
  expect(box.isWaiting()).toBe(false);
  box.close();
  await next;
});
