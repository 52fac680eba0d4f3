import type { Walls } from "./walls.ts";

/** macOS. Of rules that fit the last one counts, so what is hidden comes last. */
export function seatbelt(program: string, walls: Walls, argv: readonly string[]): readonly string[] {
  const { writable, kept, hiddenDirs, hiddenFiles, network } = walls;
  const rules = [
    "(version 1)",
    "(allow default)",
    ...(network ? [] : ["(deny network*)"]),
    "(deny file-write*)",
    `(allow file-write* ${places([...writable, ...DEVICES])})`,
    ...(kept.length > 0 ? [`(deny file-write* ${places(kept)})`] : []),
    ...[...hiddenDirs, ...hiddenFiles].map((path) => `(deny file-read* file-write* ${places([path])})`),
  ];
  return [program, "-p", rules.join("\n"), ...argv];
}

const DEVICES = ["/dev/null", "/dev/zero", "/dev/tty", "/dev/fd"];

const places = (paths: readonly string[]): string =>
  paths.map((path) => `(subpath ${quoted(path)})`).join(" ");

const quoted = (path: string): string => `"${path.replace(/["\\]/g, "\\$&")}"`;
