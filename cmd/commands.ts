import type { CommandSpec } from "./command.ts";
import type { FlagSpec } from "./flags.ts";

/** Flags of every command that runs the agent. */
export const GLOBAL_FLAGS: readonly FlagSpec[] = [
  { name: "config", value: "PATH", doc: "Read only this configuration file" },
  { name: "trust", doc: "Honour all of ./buddy.toml for this run" },
  { name: "model", short: "m", value: "PROFILE|MODEL", doc: "Profile, or a model of the active profile" },
  { name: "base-url", value: "URL", doc: "Address of the endpoint" },
  { name: "cwd", short: "C", value: "DIR", doc: "Work in this directory" },
  {
    name: "approve",
    value: "ask|all|none|DURATION",
    doc: "Who approves actions: you, nobody has to, nothing is approved, or all for a while (10m)",
  },
  { name: "no-tools", doc: "Offer the model no tools" },
  { name: "append-system-prompt", value: "TEXT", doc: "Instructions added to the system prompt" },
  { name: "no-session", doc: "Save nothing" },
  { name: "max-iterations", value: "N", doc: "Most model calls in one task" },
  { name: "no-color", doc: "No colours (also NO_COLOR)" },
  { name: "verbose", short: "v", doc: "Say more on stderr, stack traces included" },
];

const EXEC_FLAGS: readonly FlagSpec[] = [
  { name: "timeout", value: "DURATION", doc: "Stop after this time: 500ms, 30s, 10m, 1h30m" },
  {
    name: "stdin",
    value: "auto|require|ignore",
    doc: "Attach standard input: when it has data, always, never",
  },
  { name: "quiet", doc: "Only warnings and errors on stderr" },
  { name: "record", value: "FILE", doc: "Write the exchange with the model to FILE" },
  { name: "replay", value: "FILE", doc: "Answer from a recording instead of the network" },
  { name: "replay-loose", doc: "With --replay: do not check that requests match" },
];

/** Every command, in the order of help. */
export const COMMANDS: readonly CommandSpec[] = [
  {
    name: "exec",
    summary: "Run one task, print the answer, exit",
    words: "[prompt…]",
    about:
      'The prompt is the arguments joined by spaces; "-" reads it from standard input. Piped input is attached ' +
      "after the prompt. Standard output carries the final answer and nothing else.",
    flags: EXEC_FLAGS,
    takesGlobalFlags: true,
    examples: [
      ['buddy exec "what is in this directory"', "ask, with approval for each command"],
      ['git diff | buddy exec "write a commit message"', "attach piped input"],
      ['x=$(buddy exec --approve none "one word: red or blue?")', "only the answer is captured"],
      ['buddy exec --timeout 5m --approve all "run the tests and explain failures"', "unattended, bounded"],
    ],
    load: () => import("./exec.ts"),
  },
  {
    name: "demo",
    summary: "Play a built-in recorded conversation with real local commands",
    words: "",
    about: "Needs no key, no network and no configuration, and saves nothing. The tools run for real.",
    flags: [
      { name: "fast", doc: "Do not wait between the pieces of the recording" },
      { name: "no-color", doc: "No colours (also NO_COLOR)" },
    ],
    takesGlobalFlags: false,
    examples: [["buddy demo", "see what a run looks like"]],
    load: () => import("./demo.ts"),
  },
  {
    name: "help",
    summary: "Explain buddy, or one command",
    words: "[command]",
    about: "The same as --help.",
    flags: [],
    takesGlobalFlags: false,
    examples: [["buddy help exec", "flags and examples of exec"]],
    load: () => import("./help.ts"),
  },
  {
    name: "version",
    summary: "Print the version",
    words: "",
    about: "The same as --version.",
    flags: [],
    takesGlobalFlags: false,
    examples: [["buddy version", "version, commit and date of this executable"]],
    load: () => import("./version.ts"),
  },
];
