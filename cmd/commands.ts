import type { CommandSpec } from "./command.ts";
import * as exec from "./exec.ts";
import { EXEC_FLAGS } from "./exec-flags.ts";
import type { FlagSpec } from "./flags.ts";
import * as version from "./version.ts";

/** Flags of every command that runs the agent. */
export const GLOBAL_FLAGS: readonly FlagSpec[] = [
  { name: "config", value: "PATH", doc: "Read only this configuration file" },
  { name: "trust", doc: "Honour all of ./buddy.toml for this run" },
  {
    name: "hermetic",
    doc: "No file but that of --config, no keyring, no session: only flags and environment",
  },
  { name: "model", short: "m", value: "PROFILE|MODEL", doc: "Profile, or a model of the active profile" },
  { name: "base-url", value: "URL", doc: "Address of the endpoint" },
  { name: "provider", value: "VENDOR", doc: "The first profile at openai, anthropic, google or openrouter" },
  { name: "thinking", value: "off|minimal|low|medium|high", doc: "How much the model thinks" },
  { name: "cwd", short: "C", value: "DIR", doc: "Work in this directory, of the target when there is one" },
  { name: "ssh", value: "USER@HOST[:PORT]", doc: "Work on this host; also a Host of ssh_config" },
  { name: "container", value: "NAME", doc: "Work in this running container; with --ssh one on that host" },
  {
    name: "tmux",
    value: "SESSION",
    optional: /^buddy-/,
    doc: "Run commands in a tmux pane that you can watch; an error where there is no tmux",
  },
  { name: "no-tmux", doc: "Run each command in a shell of its own" },
  {
    name: "approve",
    value: "ask|all|none|DURATION",
    doc: "Who approves actions: you, nobody has to, nothing is approved, or all for a while (10m)",
  },
  { name: "tools", value: "A,B,-C", doc: "Offer only these tools; with a minus: not that one" },
  { name: "no-tools", doc: "Offer the model no tools" },
  { name: "no-builtin-tools", doc: "Offer only the tools of extensions" },
  { name: "no-extensions", doc: "Load no extensions" },
  { name: "session", value: "PATH|ID", doc: "Go on in this session file" },
  { name: "no-context-files", short: "nc", doc: "Read no AGENTS.md and the like" },
  { name: "system-prompt", value: "TEXT|@FILE", doc: "Instructions in the place of the built-in ones" },
  { name: "append-system-prompt", value: "TEXT|@FILE", doc: "Instructions added to the system prompt" },
  { name: "no-session", doc: "Save nothing" },
  { name: "max-iterations", value: "N", doc: "Most model calls in one task" },
  { name: "no-color", doc: "No colours (also NO_COLOR)" },
  { name: "verbose", short: "v", doc: "Debug lines on stderr, stack traces included" },
  {
    name: "log-file",
    value: "PATH",
    doc: "Add everything that happens to this file, as JSON Lines (also BUDDY_LOG_FILE)",
  },
];

/** What runs when no command is named. */
export const REPL: CommandSpec = {
  name: "buddy",
  summary: "A conversation on the terminal",
  words: "[prompt]",
  about:
    "A prompt, if given, is submitted first. Where standard input or output is no terminal, prompts are read line by line.",
  flags: [],
  takesGlobalFlags: true,
  examples: [["buddy", "a new conversation here"]],
  load: () => import("./repl.ts"),
};

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
    load: async () => exec,
  },
  {
    name: "resume",
    summary: "Go on with a saved session on the terminal",
    words: "[session-id]",
    about:
      "Without an id, choose one from a list. The beginning of an id is enough where only one session begins so.",
    flags: [{ name: "last", doc: "The one of this directory that was used last" }],
    takesGlobalFlags: true,
    examples: [
      ["buddy resume", "choose one"],
      ["buddy resume --last", "go on where you were"],
    ],
    load: () => import("./resume.ts"),
  },
  {
    name: "login",
    summary: "Log in to a profile's provider instead of using a key",
    words: "[profile]",
    about:
      'In the browser; the address is printed as well. One login serves every profile of that provider that has auth = "login".',
    flags: [
      { name: "device", doc: "By a code that you enter on any other machine" },
      { name: "check", doc: "Say whether the login is valid" },
    ],
    takesGlobalFlags: true,
    examples: [
      ["buddy login gpt-codex", "log in with a ChatGPT account"],
      ["buddy login --device", "on a machine without a browser"],
    ],
    load: () => import("./login.ts"),
  },
  {
    name: "logout",
    summary: "Forget a login",
    words: "[profile]",
    about: "Forgets the login of the profile's provider on this machine.",
    flags: [],
    takesGlobalFlags: true,
    examples: [["buddy logout gpt-codex", "forget the OpenAI login"]],
    load: () => import("./logout.ts"),
  },
  {
    name: "policy",
    summary: "Say what the rules make of a command, a path or a URL",
    words: "test [-- COMMAND]",
    about:
      "Prints the verdict, the rule and the commands that were made out, without running or fetching anything. " +
      "Exit 0 whatever the verdict. The rules are a seat belt, not a sandbox: a determined program can evade any list.",
    flags: [
      { name: "path", value: "PATH", doc: "Judge writing this file instead" },
      { name: "url", value: "URL", doc: "Judge fetching this URL instead, by its literal form" },
      { name: "json", doc: "One JSON object on standard output" },
    ],
    takesGlobalFlags: true,
    examples: [
      ["buddy policy test -- 'git push --force'", "would this be asked about, whatever the settings"],
      ["buddy policy test --json --url http://localhost/", "for scripts"],
    ],
    load: () => import("./policy.ts"),
  },
  {
    name: "sessions",
    summary: "List, show, export or remove saved sessions",
    words: "[show ID|export ID|rm ID]",
    about:
      "Without a word: the sessions of this directory, last used first. The beginning of an id is enough where only one session begins so. Exports are masked like everything that is saved.",
    flags: [
      { name: "json", doc: "The list as JSON" },
      {
        name: "format",
        value: "md|html|jsonl",
        doc: "What to export: Markdown (default), a page, JSON Lines",
      },
      { name: "output", short: "o", value: "FILE", doc: "Export to FILE instead of standard output" },
      { name: "cwd", short: "C", value: "DIR", doc: "The sessions of this directory" },
      { name: "no-color", doc: "No colours (also NO_COLOR)" },
    ],
    takesGlobalFlags: false,
    examples: [
      ["buddy sessions", "what was done here"],
      ["buddy sessions show mhx2", "read one"],
      ["buddy sessions export mhx2 --format html -o session.html", "one page to pass on"],
    ],
    load: () => import("./sessions.ts"),
  },
  {
    name: "models",
    summary: "Show the profiles: endpoint, protocol, model, context, key",
    words: "",
    about: "The active profile has a star. Keys are never shown, only where they come from.",
    flags: [{ name: "remote", doc: "Ask the active profile's endpoint which models it has" }],
    takesGlobalFlags: true,
    examples: [
      ["buddy models", "every profile"],
      ["buddy models --remote -m ollama", "what the local server offers"],
    ],
    load: () => import("./models.ts"),
  },
  {
    name: "config",
    summary: "Show, check or create the configuration",
    words: "path|show|check|init",
    about:
      "path: the files that count. show: every value in force with where it comes from, secrets masked. check: exit 0 only if every file is right. init: write the commented template.",
    flags: [],
    takesGlobalFlags: true,
    examples: [
      ["buddy config check", "find mistakes"],
      ["buddy config show", "see what holds, and why"],
    ],
    load: () => import("./config.ts"),
  },
  {
    name: "doctor",
    summary: "Check whether this setup can work",
    words: "",
    about:
      "Looks at the terminal, tmux, ssh, container engines, configuration, credentials and the endpoint of the active profile, each for a few seconds at most. Exit 0 only if the default setup can work; else the code of the first thing that is wrong.",
    flags: [{ name: "json", doc: "One JSON object on standard output" }],
    takesGlobalFlags: true,
    examples: [
      ["buddy doctor", "what works here, what does not, what to do"],
      ["buddy doctor --json -m ollama", "the same for a script, for another profile"],
    ],
    load: () => import("./doctor.ts"),
  },
  {
    name: "trust",
    summary: "Trust a project's own buddy.toml",
    words: "[dir]",
    about:
      "A project's file cannot redirect credentials, run code or loosen safety until you trust it. Trust is for exactly these values: when they change, it is asked again.",
    flags: [
      { name: "revoke", doc: "Trust it no longer" },
      { name: "list", doc: "Every trusted directory" },
    ],
    takesGlobalFlags: false,
    examples: [["buddy trust", "trust ./buddy.toml as it is now"]],
    load: () => import("./trust.ts"),
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
    name: "completion",
    summary: "Print the completion script of a shell",
    words: "bash|zsh|fish",
    about:
      "Writes nothing and reads no configuration: the script is made of this executable's own commands and flags.",
    flags: [],
    takesGlobalFlags: false,
    examples: [
      ['eval "$(buddy completion bash)"', "in ~/.bashrc"],
      ["buddy completion zsh > ~/.zfunc/_buddy", "in a directory of fpath"],
      ["buddy completion fish > ~/.config/fish/completions/buddy.fish", "for fish"],
    ],
    load: () => import("./completion.ts"),
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
    load: async () => version,
  },
];
