import { hasHole } from "./hole.ts";
import { globSource } from "./paths.ts";

const MAX_CHARS = 500;

/** What `${name%pattern}`, `${name/a/b}`, `${name^^}` and their kin make of a value; undefined where it is not told. */
export function changedBy(operator: string, value: string, argument: string): string | undefined {
  if (hasHole(value + argument) || value.length > MAX_CHARS) return undefined;
  switch (operator) {
    case "%":
    case "%%":
      return withoutEnd(value, argument, operator);
    case "#":
    case "##":
      return withoutStart(value, argument, operator);
    case "/":
    case "//":
      return replaced(value, argument, operator);
    case "^^":
      return value.toUpperCase();
    case ",,":
      return value.toLowerCase();
    default:
      return undefined;
  }
}

const cuts = (value: string): readonly number[] => Array.from({ length: value.length + 1 }, (_, at) => at);

function withoutEnd(value: string, pattern: string, operator: "%" | "%%"): string {
  const matcher = new RegExp(`^${globSource(pattern)}$`, "s");
  const places = operator === "%" ? cuts(value).toReversed() : cuts(value);
  const at = places.find((place) => matcher.test(value.slice(place)));
  return at === undefined ? value : value.slice(0, at);
}

function withoutStart(value: string, pattern: string, operator: "#" | "##"): string {
  const matcher = new RegExp(`^${globSource(pattern)}$`, "s");
  const places = operator === "#" ? cuts(value) : cuts(value).toReversed();
  const at = places.find((place) => matcher.test(value.slice(0, place)));
  return at === undefined ? value : value.slice(at);
}

function replaced(value: string, argument: string, operator: "/" | "//"): string {
  const slash = argument.indexOf("/");
  const pattern = slash === -1 ? argument : argument.slice(0, slash);
  const by = slash === -1 ? "" : argument.slice(slash + 1);
  if (pattern === "") return value;
  return value.replace(new RegExp(globSource(pattern), operator === "//" ? "gs" : "s"), () => by);
}
