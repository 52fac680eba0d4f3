import type { ReplHost } from "../../adapters/terminal/repl-host.ts";
import { err } from "../../core/result.ts";

/** A host that has nothing and does nothing. */
export const fakeReplHost = (): ReplHost => {
  const target = {
    summary: "local",
    cwd: "/work",
    run: async function* () {
      yield { type: "exited", code: 0 } as const;
    },
  };
  return {
    version: "0.0.0",
    home: undefined,
    target,
    aside: target,
    attachHint: undefined,
    place: "me@here",
    contextFiles: [],
    skills: [],
    mcpServers: [],
    tools: [],
    commands: [],
    profiles: [],
    thinkingLevels: [],
    thinking: () => "off",
    setThinking: () => {},
    store: undefined,
    logIn: async () => {},
    exportSession: async () => err("there is nothing to export"),
    showSession: async () => [],
    branch: async () => "",
    redact: (text) => text,
    unixMs: () => 0,
    monotonicMs: () => 0,
  };
};
