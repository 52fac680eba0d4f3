import type { Price } from "../catalogue.ts";
import { type Failure, failure } from "../failure.ts";
import { type ContextKeeper, type ContextSettings, contextKeeper, makeRoom } from "../fit-context.ts";
import type { Host } from "../ports/host.ts";
import type { Model } from "../ports/model.ts";
import { type Result, unreachable } from "../result.ts";
import type { SessionTree } from "../session-tree.ts";
import type { ToolLimits, Toolset } from "../tool.ts";
import type { Emitter } from "./emitter.ts";
import type { SessionKeeper } from "./keeper.ts";
import type { SessionCommand } from "./state.ts";

/** A model with everything that depends on which one it is. */
export type ModelBundle = {
  readonly model: Model;
  readonly price: Price | null;
  readonly limits: ToolLimits;
  readonly context: ContextSettings;
};

/** Where models come from. */
export type ModelSource = {
  readonly first: ModelBundle;
  /** `user`: it was named for this run, so the profile of a resumed session does not take its place. */
  readonly chosenBy: "user" | "default";
  /** By the name of a profile, or of a model of the active one. */
  readonly find: (wanted: string) => Promise<Result<ModelBundle, Failure>>;
};

export type SessionCommandDeps = {
  readonly host: Host;
  readonly models: ModelSource;
  readonly keeper: SessionKeeper;
  readonly out: Emitter;
  readonly system: string;
  readonly tools: Toolset;
};

type Current = Omit<ModelBundle, "context"> & { readonly context: ContextKeeper };

export type SessionCommands = {
  /** What the next task works with. */
  readonly current: () => Current;
  /** Carries a command out; what went wrong is told as an event. */
  readonly run: (command: SessionCommand, signal: AbortSignal) => Promise<void>;
};

/** Commands that change which conversation or which model goes on. */
export function sessionCommands(deps: SessionCommandDeps): SessionCommands {
  const { keeper, out, models } = deps;
  let bundle = models.first;
  let context = newContext(undefined);

  function newContext(summary: string | undefined): ContextKeeper {
    const made = contextKeeper(bundle.context, deps.system, deps.tools.specs);
    made.restart(keeper.history.messages, summary);
    return made;
  }

  const use = async (wanted: string): Promise<Failure | undefined> => {
    const found = await models.find(wanted);
    if (!found.ok) return found.error;
    bundle = found.value;
    context = newContext(context.summary());
    const { profile, model } = bundle.model;
    await out.emit({ family: "model", type: "profile_switched", profile, model });
    return undefined;
  };

  /** The profile of a session is restored if it exists and no other was asked for; target and approvals never are. */
  const goOnWith = async (tree: Result<SessionTree, Failure>): Promise<Failure | undefined> => {
    if (!tree.ok) return tree.error;
    const { summaryOf } = await import("../session-path.ts");
    const { lastModel } = await import("../session-tree.ts");
    context = newContext(summaryOf(tree.value));
    const profile = lastModel(tree.value)?.profile;
    if (models.chosenBy === "user" || profile === undefined || profile === bundle.model.profile)
      return undefined;
    const why = await use(profile);
    if (!why) return undefined;
    const message = `The profile "${profile}" of this session cannot be used (${why.message}); going on with "${bundle.model.profile}"`;
    await out.emit({ family: "warning", type: "warning", code: "profile_missing", message });
    return undefined;
  };

  const perform = async (command: SessionCommand, signal: AbortSignal): Promise<Failure | undefined> => {
    switch (command.type) {
      case "switch_model":
        return use(command.wanted);
      case "session_new":
        await keeper.startNew();
        context = newContext(undefined);
        return undefined;
      case "session_resume":
        return goOnWith(await keeper.resume(command.ref));
      case "session_resume_last":
        return goOnWith(await keeper.resumeLast());
      case "session_fork":
        return goOnWith(await keeper.fork(command.ref, command.entry_id));
      case "session_move":
        return goOnWith(await keeper.move(command.entry_id));
      case "session_rename":
        return keeper.rename(command.title);
      case "session_compact":
        return compactNow(command.instructions, signal);
      default:
        return unreachable(command);
    }
  };

  const compactNow = async (
    instructions: string | undefined,
    signal: AbortSignal,
  ): Promise<Failure | undefined> => {
    const work = makeRoom(
      { ...bundle, host: deps.host, history: keeper.history, context },
      instructions,
      signal,
    );
    try {
      let next = await work.next();
      for (; !next.done; next = await work.next()) await out.emit(next.value);
      return next.value.made ? undefined : failure("usage", next.value.detail);
    } catch (error) {
      if (!signal.aborted) throw error;
      return failure("interrupted", "Stopped before the conversation was compacted");
    }
  };

  return {
    current: () => ({ ...bundle, context }),
    run: async (command, signal) => {
      const why = await perform(command, signal);
      if (why) await out.emit({ family: "error", type: "error", failure: why });
    },
  };
}
