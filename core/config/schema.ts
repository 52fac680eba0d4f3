import * as v from "valibot";
import { KEY_SOURCES, PROTOCOLS, THINKING_LEVELS } from "./choices.ts";
import { choice, count, duration, flag, key, list, positive, share, table, text, texts } from "./fields.ts";

// Every key with its type, default and one line of documentation. Names are those of the TOML file.

/** What HTTP cannot carry is found here, and not when the request is made. */
const headers = v.record(
  v.pipe(v.string(), v.regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "is no name of a header")),
  v.pipe(text, v.regex(/^[\t\u0020-\u007e\u0080-\u00ff]*$/, "holds what a header cannot hold")),
  "must be a table of texts",
);

const proxy = v.pipe(
  text,
  v.regex(/^(https?:\/\/[^\s/?#]+\/?)?$/i, "must be http:// or https:// and a host, or empty"),
);

const usd = v.pipe(share, v.minValue(0, "must not be negative"));

export const profileSchema = v.pipe(
  table({
    api_base_url: key(text, "https://api.openai.com/v1", "Address of the endpoint"),
    api: key(choice(PROTOCOLS), "completions", "Wire protocol"),
    auth: key(choice(["api-key", "login"]), "api-key", "How buddy proves who asks"),
    api_key: key(text, "", "The key itself; prefer one of the next three"),
    api_key_env: key(text, "", "Environment variable that holds the key"),
    api_key_file: key(text, "", "File that holds the key"),
    api_key_keyring: key(text, "", 'Entry of the OS keyring, service "buddy"'),
    model: key(text, "", "Model name; default: the name of the profile"),
    context_limit: key(count, 0, "Tokens; 0: from the catalogue"),
    max_output_tokens: key(count, 0, "0: the provider's default"),
    thinking: key(choice(THINKING_LEVELS), "medium", "Sent where the protocol has it"),
    stream: key(flag, true, "Ask for a streamed response"),
    headers: key(headers, {}, "Extra request headers"),
    price: v.optional(
      table({
        input: key(usd, 0, "USD per million tokens"),
        output: key(usd, 0, "USD per million tokens"),
        cached: v.optional(usd),
      }),
    ),
  }),
  v.check(
    (profile) => sourcesOf(profile).length <= 1,
    ({ input }) => `names two sources of the key: ${sourcesOf(input).join(" and ")}. Keep one`,
  ),
);

function sourcesOf(profile: unknown): readonly string[] {
  const entries = new Map(Object.entries(Object(profile)));
  return KEY_SOURCES.filter((source) => (entries.get(source) ?? "") !== "");
}

const agentSchema = table({
  name: key(
    v.pipe(text, v.regex(/^[a-z0-9_-]{1,48}$/, "must be 1 to 48 of a-z, 0-9, - and _")),
    "buddy",
    "Also names the managed tmux session",
  ),
  model: key(text, "", "Active profile"),
  system_prompt: key(text, "", "Operator instructions, added to the built-in prompt"),
  max_iterations: key(positive, 50, "Model calls in one task"),
  temperature: v.optional(share),
  top_p: v.optional(share),
  compact_at: key(
    v.pipe(share, v.minValue(0.1, "must be at least 0.1"), v.maxValue(1, "must be at most 1")),
    0.8,
    "Share of the context that warns and compacts",
  ),
  context_budget: key(count, 0, "Tokens; a cap below the model's window, 0: none"),
  queue_mode: key(choice(["one", "all"]), "one", "How many queued messages are taken at a time"),
  compact_model: key(text, "", "Profile that writes summaries; default: the active one"),
  parallel_tools: key(flag, true, "Run calls side by side where that is safe"),
});

const OUTPUT_LIMIT = 'must be "auto" or a whole number of characters from 1000';

const toolsSchema = table({
  shell_enabled: key(flag, true, "Offer run_shell"),
  files_enabled: key(flag, true, "Offer the file tools"),
  fetch_enabled: key(flag, true, "Offer fetch_url"),
  search_enabled: key(flag, true, "Offer web_search"),
  shell_confirm: key(
    v.union([v.boolean(), v.literal("risky")], 'must be true, false or "risky"'),
    true,
    "Ask before commands; risky: only before those that are not read-only",
  ),
  files_confirm: key(flag, false, "Ask before files are written"),
  fetch_confirm: key(flag, false, "Ask before pages are fetched"),
  shell_denylist: key(texts, [], "Patterns of commands that are never run, added to the built-in rules"),
  files_allowed_paths: key(texts, [], "Only these may be written, and they may even if sensitive"),
  fetch_allowed_domains: key(
    texts,
    [],
    "Only these hosts are fetched, and they even if private; empty: every public one",
  ),
  fetch_blocked_domains: key(texts, [], "Hosts that are never fetched"),
  search_endpoint: key(
    v.pipe(text, v.regex(/^https?:\/\/[^\s/]+(\/\S*)?$/i, "must be an http or https address")),
    "https://html.duckduckgo.com/html/",
    "Where web_search asks, by ?q=; it may be private",
  ),
  shell_timeout: key(duration, "2m", "How long a command may take"),
  output_limit: key(
    v.union(
      [v.literal("auto"), v.pipe(v.number(), v.integer(OUTPUT_LIMIT), v.minValue(1000, OUTPUT_LIMIT))],
      OUTPUT_LIMIT,
    ),
    "auto",
    "Characters of text one result may put into the conversation",
  ),
  sandbox: key(
    choice(["off", "workspace"]),
    "off",
    "workspace: commands write only in the working and the temporary directory, and see no secrets",
  ),
  sandbox_network: key(flag, false, "Commands in a sandbox may use the network"),
  redact: key(
    choice(["saved", "model"]),
    "saved",
    "Where secrets are masked: in what is saved and shown; model: also in what the model is sent",
  ),
  env_pass: key(texts, [], "Environment variables that commands get although their names look secret"),
});

export const configSchema = v.object({
  models: v.optional(v.record(v.string(), profileSchema, "must be a table"), {}),
  agent: v.optional(agentSchema, {}),
  tools: v.optional(toolsSchema, {}),
  tmux: v.optional(
    table({
      max_sessions: key(positive, 1, "Managed tmux sessions"),
      max_panes: key(positive, 5, "Panes in each of them"),
    }),
    {},
  ),
  display: v.optional(
    table({
      color: key(flag, true, "Colours on a terminal"),
      show_tokens: key(flag, false, "Tokens after each turn"),
      show_tool_calls: key(flag, true, "Calls and their results"),
      show_reasoning: key(flag, true, "What the model thinks"),
      markdown: key(flag, true, "Render answers on a terminal"),
      theme: key(text, "auto", "auto, dark, light, or the name of a theme file"),
      notify: key(choice(["off", "bell", "osc9"]), "bell", "When a task ends or waits and nobody looks"),
    }),
    {},
  ),
  sessions: v.optional(
    table({
      dir: key(
        choice(["project", "user"]),
        "project",
        "project: .buddyx/sessions here; user: the state directory",
      ),
      keep_days: key(count, 0, "0: keep for ever"),
    }),
    {},
  ),
  network: v.optional(
    table({
      connect_timeout: key(duration, "10s", "Until the endpoint accepts a connection"),
      idle_timeout: key(duration, "2m", "Longest silence on a response"),
      retries: key(count, 4, "How often a failed request is tried again"),
      proxy: key(proxy, "", "Default: HTTPS_PROXY, HTTP_PROXY, NO_PROXY"),
      ca_file: key(text, "", "Further certificate authorities, PEM"),
    }),
    {},
  ),
  mcp: v.optional(
    v.record(
      v.string(),
      table({
        command: key(text, "", "Program of a local server"),
        args: key(texts, [], "Its arguments"),
        env: key(v.record(v.string(), text, "must be a table of texts"), {}, "Its environment"),
        url: key(text, "", "Address of a remote server"),
        headers: key(v.record(v.string(), text, "must be a table of texts"), {}, "Request headers"),
        enabled: key(flag, true, "Start it"),
        tools: key(texts, [], "Only these tools; empty: all"),
        timeout: key(duration, "60s", "For one call"),
      }),
      "must be a table",
    ),
    {},
  ),
  hooks: v.optional(
    list(
      table({
        event: choice(["before_tool_call", "after_tool_call", "before_model_call", "on_event"]),
        match: key(text, "", "Tool name; empty: every one"),
        command: text,
        timeout: key(duration, "30s", "For one call"),
      }),
    ),
    [],
  ),
});

export type Config = v.InferOutput<typeof configSchema>;
export type Profile = Config["models"][string];
