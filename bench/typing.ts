import { readFileSync } from "node:fs";
import { clockMs } from "./clock.ts";
import type { Arena, Contestant } from "./contestants.ts";

const DELTAS_EACH_TICK = 5;
const TICK_MS = 10;
const KEYS = 60;
const KEY_PAUSE_MS = 50;
const ANSWERS = 200;
/** Until here the heap grows whatever the program keeps. */
const SETTLED = 50;

/** The REPL on a pseudo-terminal: typing while 500 deltas a second stream, then many answers in a row. */
export function typing({ buddy, place, samples }: Pick<Arena, "buddy" | "place" | "samples">): Contestant {
  const run = async () => {
    const endpoint = streamingEndpoint();
    const flags = ["--hermetic", "--no-tmux", "--base-url", endpoint.url, "-m", "bench"];
    const repl = openRepl([buddy, ...flags], place.dir, {
      ...place.env,
      BUDDY_API_KEY: "bench",
      TERM: "xterm-256color",
    });
    try {
      await repl.shows("/help");
      repl.write("stream\r");
      await repl.shows("answering");
      const [cpuMs, startMs] = [repl.cpuMs(), clockMs()];
      for (let index = 0; index < KEYS; index++) samples.add("keystroke", await repl.keystroke());
      samples.add("repl cpu each second", ((repl.cpuMs() - cpuMs) / (clockMs() - startMs)) * 1000);
      repl.write("\u001b");
      await repl.shows("Stopped");
      for (let index = 1; index <= ANSWERS; index++) {
        repl.write(`\u0015short ${index}\r`);
        await repl.shows(`End ${index}.`);
        if (index === SETTLED) samples.add("repl memory after 50 answers", repl.memory());
      }
      samples.add("repl memory after 200 answers", repl.memory());
    } finally {
      repl.kill();
      await endpoint.stop();
    }
  };
  return { name: "typing", every: 8, run };
}

function openRepl(argv: readonly string[], cwd: string, env: Readonly<Record<string, string>>) {
  let out = "";
  let look: (() => void) | undefined;
  let typed = "";
  const child = Bun.spawn([...argv], {
    cwd,
    env: { ...env },
    terminal: {
      cols: 100,
      rows: 30,
      data: (_terminal, data) => {
        out += Buffer.from(data).toString();
        look?.();
      },
    },
  });
  const write = (text: string) => void child.terminal?.write(text);
  const shows = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`The REPL never showed "${text}"`)), 20_000);
      look = () => {
        const at = out.indexOf(text);
        if (at === -1) return;
        out = out.slice(at + text.length);
        clearTimeout(timer);
        look = undefined;
        resolve();
      };
      look();
    });
  return {
    write,
    shows,
    /** From a key to the screen that has it. */
    keystroke: async (): Promise<number> => {
      await Bun.sleep(KEY_PAUSE_MS);
      typed += String.fromCharCode(0x41 + (typed.length % 26));
      out = "";
      const startedMs = clockMs();
      write(typed.slice(-1));
      await shows(typed);
      return clockMs() - startedMs;
    },
    cpuMs: (): number => {
      const fields = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
      // User and system time, in hundredths of a second.
      return (Number(fields[11]) + Number(fields[12])) * 10;
    },
    memory: (): number =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) * 1024,
    kill: () => child.kill("SIGKILL"),
  };
}

/** 500 deltas a second for ever when asked for a stream, a short answer otherwise. */
function streamingEndpoint(): { readonly url: string; readonly stop: () => Promise<void> } {
  const encoder = new TextEncoder();
  const delta = (content: string) =>
    encoder.encode(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`);
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 120,
    fetch: async (request) => {
      const asked = [...(await request.text()).matchAll(/short (\d+)/g)].at(-1)?.[1];
      const body = new ReadableStream<Uint8Array>({
        async start(controller) {
          for (let tick = 0; asked === undefined && !request.signal.aborted; tick++) {
            for (let index = 0; index < DELTAS_EACH_TICK; index++) {
              controller.enqueue(delta(tick % 40 === 39 && index === 0 ? ".\n\nNext **one** " : "word "));
            }
            await Bun.sleep(TICK_MS);
          }
          if (asked === undefined) return;
          controller.enqueue(delta(`Some *words* and \`code\`.\n\n- a list\n\nEnd ${asked}.`));
          controller.enqueue(encoder.encode("data: [DONE]\n\n"));
          controller.close();
        },
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
  });
  return { url: `http://127.0.0.1:${server.port}/v1`, stop: () => server.stop(true) };
}
