import { decodeEscapes } from "./ansi-c.ts";
import { HOLE, hasHole } from "./hole.ts";

/** What a command prints, where that can be told from its arguments and input; undefined where it cannot. */
export function staticOutput(
  argv: readonly string[],
  input: string | undefined,
  fileText: (path: string) => string | undefined,
): string | undefined {
  const [name = "", ...args] = argv;
  switch (name.replace(/^.*\//, "")) {
    case "echo":
      return echoed(args);
    case "printf":
      return printed(args);
    case "tee":
      return input;
    case "cat":
      return concatenated(args, input, fileText);
    case "which":
      return args.length === 1 ? `/usr/bin/${args[0]}\n` : undefined;
    case "command":
    case "type":
      return args.length === 2 && /^-[vpP]$/.test(args[0] ?? "") ? `/usr/bin/${args[1]}\n` : undefined;
    case "dirname":
      return args.length === 1 ? `${(args[0] ?? "").replace(/\/?[^/]*\/*$/, "") || "/"}\n` : undefined;
    case "cd":
    case "pushd":
    case "export":
    case "set":
    case "unset":
    case "true":
    case ":":
      return "";
    case "yes":
      return `${args.join(" ") || "y"}\n`;
    default:
      return undefined;
  }
}

function concatenated(
  args: readonly string[],
  input: string | undefined,
  fileText: (path: string) => string | undefined,
): string | undefined {
  const texts = (args.length === 0 ? ["-"] : args).map((arg) => (arg === "-" ? input : fileText(arg)));
  return texts.every((text) => text !== undefined) ? texts.join("") : undefined;
}

function echoed(args: readonly string[]): string {
  const at = args.findIndex((arg) => !/^-[neE]+$/.test(arg));
  const words = at === -1 ? [] : args.slice(at);
  const raw = `${words.join(" ")}\n`;
  const decoded = decodeEscapes(raw);
  const asked = args.slice(0, at === -1 ? args.length : at).join("");
  if (asked.includes("e")) return decoded;
  // dash reads escapes without being asked, bash does not: whatever reads this may get one or the other.
  return raw === decoded ? raw : raw + decoded;
}

function printed(args: readonly string[]): string | undefined {
  const [format = "", ...values] = args[0] === "--" ? args.slice(1) : args;
  if (hasHole(format)) return HOLE;
  let at = 0;
  const once = () =>
    format.replace(/%(?:%|[-+ #0]*\d*(?:\.\d+)?([a-zA-Z]))/g, (whole, kind) => {
      if (kind === undefined) return "%";
      const value = values[at++] ?? "";
      return kind === "b" || kind === "s" || kind === "q"
        ? value
        : /[diouxX]/.test(kind)
          ? value || "0"
          : whole;
    });
  let text = once();
  for (let round = 0; round < 64 && at > 0 && at < values.length; round++) text += once();
  return decodeEscapes(text);
}
