import { decodeEscapes } from "./ansi-c.ts";
import { HOLE, hasHole } from "./expand.ts";

/** What a command prints, where that can be told from its arguments and input; undefined where it cannot. */
export function staticOutput(argv: readonly string[], input: string | undefined): string | undefined {
  const [name = "", ...args] = argv;
  switch (name.replace(/^.*\//, "")) {
    case "echo":
      return echoed(args);
    case "printf":
      return printed(args);
    case "cat":
    case "tee":
      return args.length === 0 || args[0] === "-" ? input : undefined;
    case "pwd":
      return args.length === 0 ? "." : undefined;
    case "true":
    case ":":
      return "";
    case "yes":
      return `${args.join(" ") || "y"}\n`;
    default:
      return undefined;
  }
}

function echoed(args: readonly string[]): string {
  const at = args.findIndex((arg) => !/^-[neE]+$/.test(arg));
  const words = at === -1 ? [] : args.slice(at);
  // dash reads escapes without being asked; nothing dangerous is lost by reading them always.
  return decodeEscapes(`${words.join(" ")}\n`);
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
