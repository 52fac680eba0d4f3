import type { ExtensionCommand } from "../../core/extension.ts";
import { nearest } from "../../core/nearest.ts";
import { displayText } from "../../core/sanitize.ts";
import type { Controller } from "./controller.ts";
import type { Choice } from "./picker.ts";

/** `/name argument`. Built-in ones and those of extensions are the same to everyone who looks. */
export type SlashCommand = {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** What follows the name, for help. */
  readonly argument?: string;
  readonly does: string;
  /** Accepted while a task runs. */
  readonly anytime?: boolean;
  readonly complete?: (prefix: string) => readonly Choice[] | Promise<readonly Choice[]>;
  readonly run: (argument: string, signal: AbortSignal) => void | Promise<void>;
};

export type CommandRegistry = {
  readonly all: readonly SlashCommand[];
  readonly find: (name: string) => SlashCommand | undefined;
  readonly names: readonly string[];
};

/** The first one to have a name keeps it: nobody can take `/quit` away. */
export function commandRegistry(commands: readonly SlashCommand[]): CommandRegistry {
  const byName = new Map<string, SlashCommand>();
  const all = commands.filter((command) => {
    if (byName.has(command.name)) return false;
    for (const name of [command.name, ...(command.aliases ?? [])])
      if (!byName.has(name)) byName.set(name, command);
    return true;
  });
  return { all, find: (name) => byName.get(name), names: [...byName.keys()] };
}

/** A command of an extension, a skill or a prompt template. */
export const fromExtension = (
  { name, description, argumentHint, run }: ExtensionCommand,
  c: Pick<Controller, "say" | "submit">,
): SlashCommand => ({
  name,
  does: description,
  ...(argumentHint === undefined ? {} : { argument: argumentHint }),
  run: async (argument, signal) => {
    const outcome = await run(argument, signal);
    if (outcome.type === "prompt") c.submit(outcome.text);
    else c.say(...displayText(outcome.text).split("\n"));
  },
});

/** Runs `/name argument`, or says why not. */
export async function runSlash(
  text: string,
  registry: CommandRegistry,
  c: Controller,
  signal: AbortSignal,
): Promise<void> {
  const { name, argument } = parseSlash(text);
  const command = registry.find(name);
  if (command === undefined) {
    const text = name.startsWith("skill:") ? unknownSkill(name, registry) : unknown(name, registry);
    return c.print({ type: "error", text });
  }
  const { task } = c.view();
  if (task && !command.anytime) {
    const why = `/${name} has to wait until task #${task.id.replace(/^\D+/, "")} has ended (Esc cancels it)`;
    return c.print({ type: "warning", text: why });
  }
  try {
    await command.run(argument, signal);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    c.print({ type: "error", text: `/${name} failed: ${why}` });
  }
}

export function parseSlash(text: string): { readonly name: string; readonly argument: string } {
  const [, name = "", argument = ""] = /^\/(\S*)\s*([\s\S]*)$/.exec(text) ?? [];
  return { name, argument: argument.trim() };
}

function unknown(name: string, { names }: CommandRegistry): string {
  const near = nearest(name, names) ?? names.find((known) => name !== "" && known.startsWith(name));
  return `There is no command "/${name}"${near ? `; did you mean "/${near}"?` : "; /help lists them"}`;
}

function unknownSkill(name: string, { names }: CommandRegistry): string {
  const skills = names.filter((known) => known.startsWith("skill:"));
  const there =
    skills.length === 0
      ? "no skills are configured"
      : `there are ${skills.map((skill) => `/${skill}`).join(", ")}`;
  return `There is no skill "${name.slice("skill:".length)}": ${there}`;
}
