import { err, ok, type Result } from "../../../core/result.ts";
import { orAfter } from "../../host/timer.ts";
import type { Link } from "../transport/link.ts";
import type { Transport } from "../transport/transport.ts";
import callScript from "./call.sh" with { type: "text" };
import { type Begun, type Call, programOf } from "./call.ts";
import { type FarFacts, type Keeper, type KeeperFailure, openKeeper } from "./keeper.ts";
import { queue } from "./queue.ts";
import { type Session, sessions } from "./sessions.ts";

/** A target behind a link: programs end there when they end here, whatever happens to the link. */
export type FarSide = Transport & {
  readonly facts: FarFacts;
  /** In words for the model: the far side ended something before its answer came. */
  readonly gone: () => string;
  /** Short work that leaves nothing running. */
  readonly script: (work: Script, signal: AbortSignal) => Promise<Result<ScriptSession, string>>;
};

export type Script = {
  readonly text: string;
  readonly words: readonly string[];
  readonly input: "none" | "own";
};

export type ScriptSession = {
  readonly session: Session;
  /** Its answer was read to the end: the session can serve again. */
  readonly free: () => void;
};

const FAREWELL_MS = 2800;
const SETTLE_MS = 200;
/** An sshd as it is installed gives ten sessions to a connection, and commands need some of them. */
const MAX_SCRIPTS = 4;

export async function openFarSide(
  link: Link,
  cwd: string,
  signal: AbortSignal,
): Promise<Result<FarSide, KeeperFailure>> {
  const run = crypto.randomUUID().replaceAll("-", "");
  const pool = sessions(link);
  const running = new Set<Session>();
  const connect = async (place: string): Promise<Result<Keeper, KeeperFailure>> => {
    const connected = await link.connect(signal);
    if (!connected.ok) return err({ kind: "link", ...connected.error });
    return openKeeper(link, pool, { run: `${run}.`, cwd: place }, signal);
  };
  const first = await connect(cwd);
  if (!first.ok) {
    await link.close("gently");
    return first;
  }
  const { facts } = first.value;
  const places = queue(MAX_SCRIPTS);
  let keeper = first.value;
  let calls = 0;
  let closed = false;
  let silent = false;
  let reconnecting: Promise<Result<Keeper, KeeperFailure>> | undefined;

  /** What carried the old connection may be still about to end, and be taken for one that stands. */
  const reconnect = async (): Promise<Result<Keeper, KeeperFailure>> => {
    const again = await connect(facts.cwd);
    if (again.ok || again.error.kind !== "link") return again;
    await Bun.sleep(SETTLE_MS);
    return connect(facts.cwd);
  };

  /** The connection, made anew once when it is gone. Whatever ran over the old one stays lost. */
  const standing = async (): Promise<Result<Omit<Begun, "session">, string>> => {
    if (closed) return err(`${link.summary} is closed`);
    if (keeper.alive()) return ok({ keeper, notices: [] });
    pool.close();
    reconnecting ??= reconnect().finally(() => {
      reconnecting = undefined;
    });
    const again = await reconnecting;
    if (!again.ok)
      return err(`${link.summary} went away and cannot be reached again: ${again.error.message}`);
    keeper = again.value;
    return ok({ keeper, notices: [`The connection to ${link.summary} was lost; this is a new one`] });
  };
  const keep = (session: Session): Session => {
    running.add(session);
    void session.exited.then(() => {
      running.delete(session);
      // The next call should not have to wait for a new one.
      if (!closed && keeper.alive()) pool.warm();
    });
    return session;
  };
  const free = (session: Session): void => {
    running.delete(session);
    if (closed) session.stdin.close();
    else pool.giveBack(session);
  };
  const begin = async ({ text, words, input }: Script): Promise<Result<Begun, string>> => {
    const stands = await standing();
    if (!stands.ok) return stands;
    const session = pool.run(text, words, input);
    return session.ok ? ok({ ...stands.value, session: keep(session.value) }) : session;
  };

  pool.warm();
  return ok({
    summary: link.summary,
    cwd: facts.cwd,
    facts,
    gone: () => `${link.summary} went away before the answer came`,
    start: (argv, { stdin, family } = { stdin: "empty" }) => {
      calls += 1;
      const mark = family === "bound" ? `${run}.${String(calls).padStart(6, "0")}.` : "";
      const sign = crypto.randomUUID();
      const words = [mark, sign, facts.cwd, stdin, facts.grep, ...argv];
      const begun = begin({ text: callScript, words, input: stdin === "pipe" ? "own" : "none" });
      const onSilence = () => {
        silent = true;
      };
      const explain = explainCall(link, facts.cwd);
      return ok(programOf({ mark, sign, begun, stdin, onFree: free, onSilence, explain }));
    },
    script: async (work, stop) => {
      const leave = await places.enter(stop);
      const begun = await begin(work);
      if (!begun.ok) {
        leave();
        return begun;
      }
      const { session } = begun.value;
      void session.exited.then(leave);
      return ok({
        session,
        free: () => {
          leave();
          if (work.input === "none") free(session);
        },
      });
    },
    close: async () => {
      closed = true;
      pool.close();
      if (silent) keeper.killNow();
      else silent = (await keeper.close()) === "late";
      if (!silent) await orAfter(FAREWELL_MS, Promise.all([...running].map((session) => session.exited)));
      for (const session of running) session.killNow();
      await link.close(silent ? "at_once" : "gently");
    },
    killNow: () => {
      keeper.killNow();
      pool.close();
      link.killNow();
    },
  });
}

const explainCall =
  (link: Link, cwd: string): Call["explain"] =>
  (how, words) => {
    if (how === "no directory") return `Cannot work in "${cwd}" on ${link.summary}: no such directory`;
    const { message } = link.explain(words);
    if (how === "not started") return `The command did not run: ${message}`;
    return `${link.summary} went away while the command ran: whether it finished is not known, and it was not run again`;
  };
