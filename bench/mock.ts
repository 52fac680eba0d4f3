import { join } from "node:path";
import * as v from "valibot";
import type { Scenario } from "./replies.ts";

const sightings = v.object({
  firstByteAtMs: v.array(v.number()),
  sentAtMs: v.array(v.number()),
  body: v.string(),
});

/** What the endpoint saw of one run, by turn. */
export type Sightings = v.InferOutput<typeof sightings>;

export type Mock = {
  /** A fresh base address that plays `scenario`. */
  readonly address: (scenario: Scenario) => string;
  /** What was seen at `address`; ask once, when the client has ended. */
  readonly seen: (address: string) => Promise<Sightings>;
  readonly stop: () => Promise<void>;
};

/** Starts endpoint.ts as a process of its own. It ends with this one, however this one ends. */
export async function startMock(): Promise<Mock> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "endpoint.ts")], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const origin = `http://127.0.0.1:${await firstLine(child.stdout)}`;
  let runs = 0;
  return {
    address: ({ kind, count }) => `${origin}/run${++runs}/${kind}/${count}`,
    seen: async (address) => {
      const run = new URL(address).pathname.split("/")[1];
      const answer = await fetch(`${origin}/report/${run}`);
      return v.parse(sightings, await answer.json());
    },
    stop: async () => {
      child.kill();
      await child.exited;
    },
  };
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of stream) {
    text += decoder.decode(bytes, { stream: true });
    if (text.includes("\n")) break;
  }
  return text.trim();
}

/** From the last byte of each response to the first byte of the request after it. */
export const ownTimes = ({ firstByteAtMs, sentAtMs }: Sightings): readonly number[] =>
  firstByteAtMs.slice(1).map((atMs, index) => atMs - (sentAtMs[index] ?? Number.NaN));
