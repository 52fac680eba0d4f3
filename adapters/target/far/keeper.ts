import { err, ok, type Result } from "../../../core/result.ts";
import { orAfter } from "../../host/timer.ts";
import type { Link, LinkFailure } from "../transport/link.ts";
import script from "./keeper.sh" with { type: "text" };
import type { Session, Sessions } from "./sessions.ts";

/** What the far side says about itself. */
export type FarFacts = {
  readonly cwd: string;
  readonly home: string;
  readonly timeZone: string;
  readonly temporary: string;
  /** Where tmux is, or nothing. */
  readonly tmux: string;
  /** Each session there has a process group of its own. */
  readonly groups: boolean;
  /** How grep is told to look behind a NUL; nothing when it cannot. */
  readonly grep: string;
};

/** The far side's own watchman: it ends what calls started, on order, and all of it when we are gone. */
export type Keeper = {
  readonly facts: FarFacts;
  readonly alive: () => boolean;
  readonly gone: Promise<void>;
  /** Whether something that the call started still runs. */
  readonly hasLeft: (mark: string) => Promise<boolean>;
  /** Settles when nothing of the call is left there, or the keeper is gone. */
  readonly end: (mark: string, group: number) => Promise<void>;
  /** Ends everything, the polite way, and then itself. `late`: it does not answer. */
  readonly close: () => Promise<"done" | "late">;
  /** Everything at once. */
  readonly killNow: () => void;
};

export type KeeperFailure = LinkFailure & { readonly kind: "link" | "directory" };

/** Longer than the far side gives a process to go in peace. */
const FAREWELL_MS = 2800;

export async function openKeeper(
  link: Link,
  pool: Sessions,
  { run, cwd }: { readonly run: string; readonly cwd: string },
  signal: AbortSignal,
): Promise<Result<Keeper, KeeperFailure>> {
  const hello = crypto.randomUUID();
  const started = pool.run(script, [run, cwd, hello], "own");
  if (!started.ok) return err({ kind: "link", ...link.explain(started.error) });
  const session = started.value;
  const onAbort = () => session.killNow();
  signal.addEventListener("abort", onAbort, { once: true });
  const words = textOf(session.errors);
  const answers = answersOf(session.output);
  const facts = await readFacts(answers, hello);
  signal.removeEventListener("abort", onAbort);
  signal.throwIfAborted();
  if (facts === "no directory") {
    void session.end();
    return err({
      kind: "directory",
      message: `Cannot work in "${cwd}" on ${link.summary}: no such directory`,
    });
  }
  if (facts === undefined) {
    await session.end();
    return err({ kind: "link", ...link.explain(await words) });
  }
  return ok(keeperOf(session, answers, facts));
}

function keeperOf(session: Session, answers: AsyncGenerator<string>, facts: FarFacts): Keeper {
  let alive = true;
  const waiting = new Map<string, (answer: string) => void>();
  const listen = async (): Promise<void> => {
    for await (const answer of answers) waiting.get(answer.slice(answer.indexOf(" ") + 1))?.(answer);
    alive = false;
    for (const settle of waiting.values()) settle("");
  };
  const ask = async (verb: string, mark: string, more = ""): Promise<string> => {
    if (!alive) return "";
    const answered = new Promise<string>((resolve) => waiting.set(mark, resolve));
    void session.stdin.write(`${verb} ${mark} ${more}\n`);
    const answer = await answered;
    waiting.delete(mark);
    return answer;
  };
  return {
    facts,
    alive: () => alive,
    gone: listen(),
    hasLeft: async (mark) => (await ask("look", mark)).startsWith("some "),
    end: async (mark, group) => void (await ask("end", mark, String(facts.groups ? group : 0))),
    close: async () => {
      session.stdin.close();
      const ended = await orAfter(FAREWELL_MS, session.exited);
      session.killNow();
      return ended;
    },
    killNow: () => {
      void session.stdin.write("now\n");
      session.stdin.close();
    },
  };
}

async function readFacts(
  answers: AsyncGenerator<string>,
  hello: string,
): Promise<FarFacts | "no directory" | undefined> {
  const next = async (): Promise<string | undefined> => (await answers.next()).value ?? undefined;
  for (let said = await next(); said !== hello; said = await next()) if (said === undefined) return undefined;
  const first = await next();
  if (first === "no") return "no directory";
  const fields: string[] = [];
  while (first === "yes" && fields.length < 7) {
    const field = await next();
    if (field === undefined) return undefined;
    fields.push(field);
  }
  const [cwd, home = "", timeZone, temporary = "/tmp", tmux = "", group, grep = ""] = fields;
  if (cwd === undefined) return undefined;
  return { cwd, home, timeZone: timeZone || "UTC", temporary, tmux, groups: group === "1", grep };
}

/** Texts that end with a NUL each. */
async function* answersOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const bytes of stream) {
    text += decoder.decode(bytes, { stream: true });
    const parts = text.split("\0");
    text = parts.pop() ?? "";
    yield* parts;
  }
}

const MAX_WORDS = 4000;

/** What a client says about itself, as far as somebody would read it. */
export async function textOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of stream) text = (text + decoder.decode(bytes, { stream: true })).slice(-MAX_WORDS);
  return text.trim();
}
