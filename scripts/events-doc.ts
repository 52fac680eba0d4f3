import { join } from "node:path";
import { type JsonSchema, toJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { envelopeSchema } from "../core/event-schema.ts";
import { EXAMPLES } from "./event-examples.ts";

// Writes docs/events.md from the schemas of the events: `make docs`.

export const EVENTS_DOC = join(import.meta.dir, "../docs/events.md");

/** The whole document. Throws when an event has no example, or one that is not valid. */
export function eventsDocument(): string {
  const envelope = toJsonSchema(envelopeSchema, { errorMode: "ignore", typeMode: "input" });
  const events = alternatives(propertiesOf(envelope).event ?? {});
  const families = Map.groupBy(events, (event) => constantIn(event, "family"));
  const parts = new Map<string, JsonSchema>();
  for (const event of events) collectParts(event, parts);
  return [
    INTRODUCTION,
    table(envelope, new Set()),
    GUARANTEES,
    ...[...families].flatMap(([family, members]) => [`## ${family}`, ...members.map(eventSection)]),
    "## Parts",
    ...[...parts].map(([title, part]) => partSection(title, part)),
  ]
    .join("\n\n")
    .concat("\n");
}

const INTRODUCTION = `# Events

Made by \`make docs\` from \`core/event-schema.ts\`. Change it there.

Everything a run does, it tells as events: the terminal, the session file and every other reader see the same stream. An event is plain data in an envelope:`;

const GUARANTEES = `## What holds

- **Shape.** While \`v\` is 1, the fields below stay, with these names, types and meanings. A change of shape is a change of \`v\`.
- **Number.** \`seq\` starts at 1 and has no gap. The order of \`seq\` is the order in which things happened.
- **Saved before shown.** What belongs into the session file is written there before the event is shown. \`tool/started\` of a call that needs permission is on disk before the call runs; so is the end of a task before it is shown. When the file cannot be written, a warning with the code \`session_not_saved\` says so, and the run goes on.
- **First and last.** \`lifecycle/started\` is the first event, \`lifecycle/stopped\` the last.
- **Tasks.** Every \`task/started\` is followed by exactly one \`task/completed\`, \`task/failed\` or \`task/cancelled\` with the same \`task_id\`. There is one task at a time.
- **Calls.** Every \`tool/call_requested\` is followed by exactly one \`tool/result\` with the same id, also when the call is refused or cancelled.
- **Commands.** A command that is not carried out is answered by \`task/rejected\` or \`error/error\`.
- **Secrets.** Keys that buddy knows are masked in each event.`;

function eventSection(event: JsonSchema): string {
  const [family, type] = [constantIn(event, "family"), constantIn(event, "type")];
  const fields = table(event, new Set(["family", "type"]));
  return [
    `### ${family}/${type}`,
    event.description ?? "",
    ...(fields === "" ? [] : [fields]),
    `\`\`\`json\n${JSON.stringify(exampleOf(family, type))}\n\`\`\``,
  ].join("\n\n");
}

function exampleOf(family: string, type: string): object {
  const at = EXAMPLES.findIndex((event) => event.family === family && event.type === type);
  const example = { v: 1, seq: at + 1, ts_unix_ms: 1767323045678 + at * 40, event: EXAMPLES[at] };
  return v.parse(envelopeSchema, example);
}

function partSection(title: string, part: JsonSchema): string {
  const members = alternatives(part);
  const tables = members.map((member) => {
    const type = members.length > 1 ? `\`type\` is \`${constantIn(member, "type")}\`:\n\n` : "";
    return `${type}${table(member, members.length > 1 ? new Set(["type"]) : new Set())}`;
  });
  return [`### ${title}`, part.description ?? "", ...tables].join("\n\n");
}

function table(object: JsonSchema, without: ReadonlySet<string>): string {
  const required = new Set(object.required);
  const rows = Object.entries(propertiesOf(object))
    .filter(([name]) => !without.has(name))
    .map(([name, field]) => {
      const optional = required.has(name) ? "" : ", may be absent";
      return `| \`${name}\` | ${typeName(field)}${optional} | ${meaningOf(field)} |`;
    });
  return rows.length === 0 ? "" : ["| field | type | meaning |", "|---|---|---|", ...rows].join("\n");
}

function typeName(field: JsonSchema): string {
  if (field.title !== undefined) return `[${field.title}](#${field.title.toLowerCase()})`;
  if (field.const !== undefined) return `\`${JSON.stringify(field.const)}\``;
  if (field.enum) return field.enum.map((value) => `\`${JSON.stringify(value)}\``).join(", ");
  if (isSchema(field.items)) return `list of ${typeName(field.items)}`;
  const members = alternatives(field);
  const named = members.find((member) => member.type !== "null" && member !== field);
  if (named && members.length === 2) return `${typeName(named)} or null`;
  if (members.length > 1) return "one of the events below";
  return typeof field.type === "string" ? field.type : "object";
}

function meaningOf(field: JsonSchema): string {
  const words = field.description ?? alternatives(field).find(({ description }) => description)?.description;
  return field.title === undefined ? (words ?? "") : inTable(words ?? "");
}

/** A sentence as the phrase that a cell holds. */
const inTable = (sentence: string): string =>
  `${sentence.slice(0, 1).toLowerCase()}${sentence.slice(1).replace(/\.$/, "")}`;

function collectParts(schema: JsonSchema, parts: Map<string, JsonSchema>): void {
  if (schema.title !== undefined) parts.set(schema.title, schema);
  for (const inner of [
    ...Object.values(propertiesOf(schema)),
    ...(isSchema(schema.items) ? [schema.items] : []),
  ])
    collectParts(inner, parts);
  for (const member of alternatives(schema)) if (member !== schema) collectParts(member, parts);
}

/** The members of a union, those of unions inside it included; anything else is its own only member. */
function alternatives(schema: JsonSchema): readonly JsonSchema[] {
  const members = schema.anyOf ?? schema.oneOf;
  return members ? members.filter(isSchema).flatMap(alternatives) : [schema];
}

function propertiesOf(schema: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
      isSchema(field) ? [[name, field]] : [],
    ),
  );
}

const constantIn = (object: JsonSchema, name: string): string => String(propertiesOf(object)[name]?.const);

const isSchema = (schema: unknown): schema is JsonSchema => typeof schema === "object" && schema !== null;

if (import.meta.main) await Bun.write(EVENTS_DOC, eventsDocument());
