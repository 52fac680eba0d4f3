import { displayText } from "../../core/sanitize.ts";
import type { ReplHost } from "./repl-host.ts";
import type { Painter } from "./theme.ts";
import type { Facts } from "./view-state.ts";

/** Printed once at the start. */
export function headerLines(facts: Facts, host: ReplHost, paint: Painter): readonly string[] {
  const { profile, model, target } = facts;
  const named = profile === model || model === "" ? profile : `${profile} (${model})`;
  const list = (names: readonly string[]) =>
    names.length === 0 ? "none" : names.map(displayText).join(", ");
  return [
    `${paint("header", `buddy ${host.version}`)} · ${displayText(named)} · ${displayText(target)}`,
    ...(host.attachHint === undefined ? [] : [paint("footer", `attach: ${displayText(host.attachHint)}`)]),
    paint("footer", `directory: ${displayText(homeRelative(host.target.cwd, host.home))}`),
    paint("footer", `context files: ${list(host.contextFiles)} · skills: ${list(host.skills)}`),
    paint("footer", "/help lists commands and keys"),
  ];
}

export const homeRelative = (path: string, home: string | undefined): string =>
  home !== undefined && home !== "/" && (path === home || path.startsWith(`${home}/`))
    ? `~${path.slice(home.length)}`
    : path;

/** `> `, `(ssh user@host)> `, `(container name)> `. */
export const promptFor = (target: string): string => {
  const place = displayText(target).replace(/[\s,;·].*?tmux.*$/, "");
  return place === "" || /^local\b/.test(place) ? "> " : `(${place})> `;
};
