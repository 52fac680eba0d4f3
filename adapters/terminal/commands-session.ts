import { entryIdOf } from "../../core/id.ts";
import { displayText } from "../../core/sanitize.ts";
import type { SlashCommand } from "./commands.ts";
import type { Controller } from "./controller.ts";
import type { Choice } from "./picker.ts";
import type { ReplHost } from "./repl-host.ts";
import { sessionChoices } from "./session-choices.ts";
import { lastPromptOn, treeChoices } from "./tree-choices.ts";

export type ThemeSwitch = {
  readonly names: () => readonly string[];
  /** What is wrong with it, if so. */
  readonly use: (name: string) => string | undefined;
};

/** Commands about the conversation, the model and how things look. */
export function sessionCommands(c: Controller, host: ReplHost, themes: ThemeSwitch): readonly SlashCommand[] {
  return [
    {
      name: "model",
      argument: "[name|index]",
      does: "choose the model",
      complete: () => profileChoices(host),
      run: (argument) => (argument === "" ? chooseModel(c, host) : switchModel(c, host, argument)),
    },
    {
      name: "thinking",
      argument: "[level]",
      does: "how much the model thinks",
      complete: () => host.thinkingLevels.map(choice),
      run: (argument) => setThinking(c, host, argument),
    },
    {
      name: "session",
      argument: "[resume <id|last>|new|fork|rename <title>]",
      does: "this session, or another one",
      complete: (prefix) => sessionArguments(prefix, host),
      run: (argument) => sessionCommand(c, host, argument),
    },
    { name: "new", aliases: ["clear"], does: "start a new session", run: () => startNew(c) },
    { name: "tree", does: "go back to an earlier message of this session", run: () => showTree(c, host) },
    {
      name: "undo",
      does: "take the last prompt and what came of it back; files stay as they are",
      run: () => undo(c, host),
    },
    {
      name: "compact",
      argument: "[instructions]",
      does: "shorten what is sent by a summary",
      run: (instructions) =>
        c.send({ type: "session_compact", ...(instructions === "" ? {} : { instructions }) }),
    },
    {
      name: "login",
      argument: "[profile]",
      does: "log in to a provider",
      complete: () => profileChoices(host),
      run: (profile) => logIn(c, host, profile, "login"),
    },
    {
      name: "logout",
      argument: "[profile]",
      does: "forget a login",
      complete: () => profileChoices(host),
      run: (profile) => logIn(c, host, profile, "logout"),
    },
    {
      name: "export",
      argument: "[path]",
      does: "write this session as Markdown, HTML or JSON Lines",
      run: (path) => exportSession(c, host, path),
    },
    {
      name: "theme",
      argument: "[name]",
      does: "choose the colours",
      complete: () => themes.names().map(choice),
      run: (name) => chooseTheme(c, themes, name),
    },
  ];
}

function startNew(c: Controller): void {
  c.send({ type: "session_new" });
  c.leaveSession();
  c.print({ type: "notice", text: "New session" });
}

const choice = (value: string): Choice => ({ value, label: value });

const profileChoices = ({ profiles }: ReplHost): readonly Choice[] =>
  profiles.map(({ name, model }) => ({ value: name, label: name, detail: model }));

export async function chooseModel(c: Controller, host: ReplHost): Promise<void> {
  const at = host.profiles.findIndex(({ name }) => name === c.view().facts.profile);
  const choices = profileChoices(host).map((each, index) => ({
    ...each,
    label: `${index + 1}. ${each.label}`,
  }));
  const chosen = await c.pick("Model", choices, Math.max(0, at));
  if (chosen !== undefined) c.send({ type: "switch_model", wanted: chosen });
}

function switchModel(c: Controller, host: ReplHost, wanted: string): void {
  const byIndex = /^\d+$/.test(wanted) ? host.profiles[Number(wanted) - 1]?.name : undefined;
  c.send({ type: "switch_model", wanted: byIndex ?? wanted });
}

function setThinking(c: Controller, host: ReplHost, level: string) {
  if (level === "") return c.say(`Thinking: ${host.thinking()} (${host.thinkingLevels.join(", ")})`);
  if (!host.thinkingLevels.includes(level)) {
    return c.print({
      type: "error",
      text: `/thinking takes ${host.thinkingLevels.join(", ")}, not "${level}"`,
    });
  }
  host.setThinking(level);
  c.send({ type: "switch_model", wanted: c.view().facts.profile });
  c.say(`Thinking: ${level}`);
}

async function sessionArguments(prefix: string, host: ReplHost): Promise<readonly Choice[]> {
  if (!prefix.startsWith("resume ")) return ["resume last", "resume", "new", "fork", "rename"].map(choice);
  const listed = await host.store?.list();
  return [
    choice("resume last"),
    ...sessionChoices(listed?.sessions ?? [], host.unixMs()).map((each) => ({
      ...each,
      value: `resume ${each.value}`,
    })),
  ];
}

async function sessionCommand(c: Controller, host: ReplHost, argument: string): Promise<void> {
  const [, verb = "", rest = ""] = /^(\S*)\s*([\s\S]*)$/.exec(argument) ?? [];
  switch (verb) {
    case "":
      return c.say(...sessionLines(c));
    case "resume":
      if (rest === "") return pickSession(c, host);
      return c.send(
        rest === "last" ? { type: "session_resume_last" } : { type: "session_resume", ref: rest },
      );
    case "new":
      return startNew(c);
    case "fork":
      return c.send({ type: "session_fork" });
    case "rename":
      if (rest === "")
        return c.print({ type: "error", text: "What is its new title? /session rename <title>" });
      return c.send({ type: "session_rename", title: rest });
    default:
      return c.print({ type: "error", text: `/session takes resume, new, fork or rename, not "${verb}"` });
  }
}

/** Lets the user choose among the sessions of this directory. */
export async function pickSession(c: Controller, host: ReplHost): Promise<void> {
  const listed = await host.store?.list();
  const choices = sessionChoices(listed?.sessions ?? [], host.unixMs());
  if (choices.length === 0) return c.say("There are no saved sessions here");
  const chosen = await c.pick("Resume", choices);
  if (chosen !== undefined) c.send({ type: "session_resume", ref: chosen });
}

function sessionLines(c: Controller): readonly string[] {
  const { session } = c.view().facts;
  if (session === undefined) return ["No session yet: it begins with the first message"];
  return [
    `${session.id}${session.title === "" ? "" : ` “${displayText(session.title)}”`}`,
    displayText(session.path),
  ];
}

async function openTree(c: Controller, host: ReplHost) {
  const { session } = c.view().facts;
  const read = session === undefined ? undefined : await host.store?.read(session.id);
  return read?.ok ? read.value.tree : undefined;
}

async function showTree(c: Controller, host: ReplHost): Promise<void> {
  const tree = await openTree(c, host);
  if (tree === undefined) return c.say("There is no saved session to look at yet");
  const { choices, at } = treeChoices(tree, host.redact);
  if (choices.length === 0) return c.say("This session has no messages yet");
  const chosen = await c.pick("Go back to", choices, at);
  if (chosen !== undefined) c.send({ type: "session_move", entry_id: entryIdOf(chosen) });
}

async function undo(c: Controller, host: ReplHost): Promise<void> {
  const tree = await openTree(c, host);
  const prompt = tree && lastPromptOn(tree);
  if (prompt === undefined) return c.say("There is nothing to take back");
  c.send({ type: "session_move", entry_id: prompt.before });
  c.editor.set(prompt.text);
}

async function logIn(
  c: Controller,
  host: ReplHost,
  profile: string,
  what: "login" | "logout",
): Promise<void> {
  await c.handOver(() => host.logIn(profile || c.view().facts.profile, what));
}

async function exportSession(c: Controller, host: ReplHost, path: string): Promise<void> {
  const { session } = c.view().facts;
  if (session === undefined) return c.say("There is no saved session to export yet");
  const written = await host.exportSession(session.id, path || `${session.id}.md`);
  if (written.ok) c.say(`Written to ${displayText(written.value)}`);
  else c.print({ type: "error", text: written.error });
}

async function chooseTheme(c: Controller, themes: ThemeSwitch, name: string): Promise<void> {
  const chosen = name === "" ? await c.pick("Theme", themes.names().map(choice)) : name;
  if (chosen === undefined) return;
  const wrong = themes.use(chosen);
  if (wrong === undefined) c.say(`Theme: ${chosen}`);
  else c.print({ type: "error", text: wrong });
}
