import * as v from "valibot";
import { parseDuration } from "../duration.ts";

// Every key with its type, default and one line of documentation. Names are those of the TOML file.

const key = <S extends v.GenericSchema>(schema: S, doc: string) => v.pipe(schema, v.description(doc));

const text = v.string("must be text");
const flag = v.boolean("must be true or false");
const share = v.number("must be a number");
const count = v.pipe(
  v.number("must be a number"),
  v.integer("must be a whole number"),
  v.minValue(0, "must not be negative"),
);
const duration = v.pipe(
  v.union([v.string(), v.number()], 'must be a duration such as "30s" or "2m"'),
  v.transform((value) => parseDuration(String(value))),
  v.number('must be a duration such as "500ms", "30s", "1h30m" or a whole number of seconds'),
);
const choice = <const T extends readonly string[]>(options: T) =>
  v.picklist(options, `must be one of ${options.map((option) => `"${option}"`).join(", ")}`);

export const KEY_SOURCES = ["api_key", "api_key_env", "api_key_file"] as const;

export const profileSchema = v.pipe(
  v.object(
    {
      api_base_url: v.optional(key(text, "Address of the endpoint"), "https://api.openai.com/v1"),
      api: v.optional(key(choice(["completions"]), "Wire protocol"), "completions"),
      api_key: v.optional(key(text, "The key itself; prefer one of the next two"), ""),
      api_key_env: v.optional(key(text, "Environment variable that holds the key"), ""),
      api_key_file: v.optional(key(text, "File that holds the key"), ""),
      model: v.optional(key(text, "Model name; default: the name of the profile"), ""),
      max_output_tokens: v.optional(key(count, "0: the provider's default"), 0),
      stream: v.optional(key(flag, "Ask for a streamed response"), true),
      headers: v.optional(key(v.record(v.string(), text, "must be a table"), "Extra request headers"), {}),
    },
    "must be a table",
  ),
  v.check(
    (profile) => sourcesOf(profile).length <= 1,
    ({ input }) => `names two sources of the key: ${sourcesOf(input).join(" and ")}. Keep one`,
  ),
);

function sourcesOf(profile: unknown): readonly string[] {
  const entries = new Map(Object.entries(Object(profile)));
  return KEY_SOURCES.filter((source) => (entries.get(source) ?? "") !== "");
}

const table = <E extends v.ObjectEntries>(entries: E) => v.object(entries, "must be a table");

export const configSchema = v.object({
  models: v.optional(v.record(v.string(), profileSchema, "must be a table"), {}),
  agent: v.optional(
    table({
      model: v.optional(key(text, "Active profile"), ""),
      system_prompt: v.optional(key(text, "Operator instructions, added to the built-in prompt"), ""),
      max_iterations: v.optional(
        key(v.pipe(count, v.minValue(1, "must be at least 1")), "Model calls in one task"),
        50,
      ),
      temperature: v.optional(key(share, "Unset: not sent")),
      top_p: v.optional(key(share, "Unset: not sent")),
      parallel_tools: v.optional(key(flag, "Run calls side by side where that is safe"), true),
    }),
    {},
  ),
  tools: v.optional(
    table({
      shell_enabled: v.optional(key(flag, "Offer run_shell"), true),
      files_enabled: v.optional(key(flag, "Offer the file tools"), true),
      shell_confirm: v.optional(key(flag, "Ask before commands"), true),
      shell_timeout: v.optional(key(duration, "How long a command may take"), "2m"),
      output_limit: v.optional(
        key(
          v.union(
            [v.literal("auto"), v.pipe(count, v.minValue(1000))],
            'must be "auto" or a number of characters from 1000',
          ),
          "Characters of text one result may put into the conversation",
        ),
        "auto",
      ),
    }),
    {},
  ),
  sessions: v.optional(
    table({
      dir: v.optional(
        key(choice(["project", "user"]), "project: .buddyx/sessions here; user: the state directory"),
        "project",
      ),
    }),
    {},
  ),
  network: v.optional(
    table({
      connect_timeout: v.optional(key(duration, "Until the endpoint answers at all"), "10s"),
      idle_timeout: v.optional(key(duration, "Longest silence on a response"), "2m"),
      retries: v.optional(key(count, "How often a failed request is tried again"), 4),
    }),
    {},
  ),
});

export type Config = v.InferOutput<typeof configSchema>;
export type Profile = Config["models"][string];
