import type { Invocation } from "./invocation.ts";
import { guess, type Nested, quoteWords, script } from "./nested.ts";
import { splitArguments } from "./options.ts";
import { words } from "./words.ts";

/** `ssh host command`: judged as if it ran here. */
export function unwrapSsh(args: readonly string[], { stdin }: Pick<Invocation, "stdin">): readonly Nested[] {
  const { operands, values } = splitArguments(
    args,
    { short: "BbcDEeFIiJLlmOopQRSWw" },
    { stopAtOperand: true },
  );
  const command = operands.slice(operands[1] === "--" ? 2 : 1);
  // A host without a command gets a shell that reads what is piped to it.
  const piped =
    command.length === 0 && operands.length > 0 && stdin.text !== undefined ? [script(stdin.text)] : [];
  return [
    ...(values.get("o") ?? []).flatMap(optionCommand),
    ...(command.length > 0 ? [script(command.join(" "))] : []),
    ...piped,
  ];
}

/** `-o ProxyCommand=…` and the like. */
export function optionCommand(option: string): readonly Nested[] {
  const [, command] =
    /^\s*(?:Proxy|Local|KnownHosts|Remote|AuthorizedKeys|PermitLocal)Command\s*[=\s]\s*([\s\S]+)$/i.exec(
      option,
    ) ?? [];
  return command === undefined ? [] : [script(command)];
}

/** `scp`, `sftp`, `rsync`: the program that makes the connection is given as an option. */
export function unwrapCopy(args: readonly string[]): readonly Nested[] {
  const { values } = splitArguments(args, { short: "oSeiFPlc", long: ["rsh", "rsync-path"] });
  const programs = ["S", "e", "rsh", "rsync-path"].flatMap((name) => values.get(name) ?? []);
  return [...(values.get("o") ?? []).flatMap(optionCommand), ...programs.map(script)];
}

const CONTAINER_VALUES = {
  short: "eupvwlhmcaL",
  long: [
    ...words(`
      env env-file user workdir volume mount name network publish label hostname memory cpus
    `),
    ...words(`
      entrypoint platform pull restart security-opt cap-add cap-drop device tmpfs ulimit add-host
    `),
    ...words(`
      namespace container context kubeconfig detach-keys ipc pid userns gpus shm-size log-driver
    `),
  ],
};

/** What runs in a container is judged as if it ran here: mounts and sockets can make it so. */
export function unwrapContainer(args: readonly string[]): readonly Nested[] {
  const at = args.findIndex((arg) => /^(run|exec|create|shell|ssh)$/.test(arg));
  if (at === -1) return [];
  const { operands, values } = splitArguments(args.slice(at + 1), CONTAINER_VALUES, { stopAtOperand: true });
  const [, ...command] = operands[1] === "--" ? [operands[0] ?? "", ...operands.slice(2)] : operands;
  const entry = values.get("entrypoint")?.at(-1);
  const argv = entry === undefined ? command : [entry, ...command];
  if (argv.length === 0) return [];
  const mounts = [...(values.get("v") ?? []), ...(values.get("volume") ?? [])].map((mount) =>
    mount.split(":"),
  );
  const hostRoot = mounts.filter(([from = ""]) => /^\/+$/.test(from)).map(([, to = ""]) => to);
  // A path below a mount of the host's root is a path of the host.
  const seen = argv.map((word) => {
    const mount = hostRoot.find((to) => to !== "" && word.includes(to));
    if (mount === undefined) return word;
    // In a script for a shell it may stand in any of the words.
    return ` ${word} `.replaceAll(`${mount}/`, "/").replaceAll(`${mount} `, "/ ").trim();
  });
  return [{ type: "argv", argv: seen }];
}

/** Options of git, and of commands of git, that name a program. */
export function unwrapGit(args: readonly string[]): readonly Nested[] {
  const found: Nested[] = [];
  args.forEach((arg, at) => {
    const next = args[at + 1] ?? "";
    if (arg === "-c" || arg === "--config") found.push(...configCommand(next));
    if (/^--(config-env|config)=/.test(arg)) found.push(...configCommand(arg.replace(/^[^=]*=/, "")));
    if (/^(-x|--exec|--extcmd|--upload-pack|--receive-pack)$/.test(arg)) found.push(script(next));
    const [, value] =
      /^--(?:exec|extcmd|upload-pack|receive-pack|open-files-in-pager|[a-z]+-filter)=([\s\S]*)$/.exec(arg) ??
      [];
    if (value !== undefined) found.push(script(value));
    if (/^--[a-z]+-filter$/.test(arg)) found.push(script(next));
    if (/^ext::/.test(arg)) found.push({ type: "argv", argv: transportWords(arg.slice(5)) });
    if (/^-x./.test(arg)) found.push(guess(arg.slice(2)));
    if (/^-O./.test(arg)) found.push(script(arg.slice(2)));
  });
  const run =
    args.indexOf("bisect") !== -1 && args.includes("run") ? args.slice(args.indexOf("run") + 1) : [];
  const each = args.includes("foreach")
    ? args.slice(args.indexOf("foreach") + 1).filter((arg) => !/^--(recursive|quiet)$/.test(arg))
    : [];
  if (run.length > 0) found.push({ type: "argv", argv: run });
  if (each.length > 0) found.push(script(each.join(" ")));
  const config = args.indexOf("config");
  if (config !== -1) found.push(...args.slice(config + 1).map((arg) => guess(arg.replace(/^!/, ""))));
  return found;
}

/** In `ext::` a blank after a percent sign belongs to the word. */
const transportWords = (text: string): readonly string[] =>
  text
    .split(/(?<!%) /)
    .map((word) => word.replaceAll("% ", " "))
    .filter((word) => word !== "");

function configCommand(setting: string): readonly Nested[] {
  const equals = setting.indexOf("=");
  const value = equals === -1 ? "" : setting.slice(equals + 1);
  return value === "" ? [] : [guess(value.replace(/^!/, ""))];
}

/** Programs that others start because an option says so. */
export function unwrapTar(args: readonly string[]): readonly Nested[] {
  const named = args.flatMap((arg, at) => {
    const [, value] =
      /^--(?:use-compress-program|to-command|info-script|new-volume-script|rsh-command|rmt-command)=([\s\S]*)$/.exec(
        arg,
      ) ?? [];
    const [, action] = /^(?:--checkpoint-action=)?exec=([\s\S]*)$/.exec(arg) ?? [];
    const separate = /^(-I|--use-compress-program|--to-command|-F|--info-script|--rsh-command)$/.test(arg)
      ? args[at + 1]
      : undefined;
    return [value, action, separate].filter((one) => one !== undefined);
  });
  return named.map(script);
}

/** Programs that harm by what follows them: their names among the words of another program begin a command. */
const HARMFUL = /^(\/(usr\/)?s?bin\/)?(rm|shred|dd|wipefs|mkfs(\.\w+)?|chmod|chown|find|(ba|z|da)?sh)$/;
const RUNS_TEXTS = /^(hyperfine|concurrently|onchange|watchexec|nodemon|wsl|run-parts)$/;

/** Any other program: what stands behind an option that usually takes a command, or looks like one of its own. */
export function unwrapUnknown(name: string, args: readonly string[]): readonly Nested[] {
  const behind = args.findIndex((arg) => HARMFUL.test(arg));
  const texts = RUNS_TEXTS.test(name) ? args.filter((arg) => /\s/.test(arg)) : [];
  return [
    ...afterOptions(args),
    ...(behind === -1 || behind === args.length - 1 ? [] : [guess(quoteWords(args.slice(behind)))]),
    ...texts.map(guess),
  ];
}

function afterOptions(args: readonly string[]): readonly Nested[] {
  return args
    .flatMap((arg, at) => {
      const [, value] = /^--?[A-Za-z][\w-]*=([\s\S]*\s[\s\S]*)$/.exec(arg) ?? [];
      const follows =
        /^(-c|-e|-x|-ex|-exec|--exec|--command|--cmd|--run|--shell|-P|-H|-TT|-O|--pager|--pre|--eval|--execute)$/.test(
          args[at - 1] ?? "",
        );
      const joined = /^-[PHO](.+\s.+)$/.exec(arg)?.[1];
      // A bare word is more often a name than a command.
      const command = follows && /[\s/]/.test(arg) ? arg : undefined;
      return [value, joined, command].filter((one) => one !== undefined);
    })
    .map(guess);
}
