import { configFor, newEndpoint, newPlace, type Place, type Script } from "../cmd/run-buddy.ts";
import type { Endpoint } from "../fakes/endpoint.ts";
import { openTerminal, type Terminal, type TerminalOptions } from "./terminal.ts";

export type OpenRepl = Terminal & {
  readonly endpoint: Endpoint;
  readonly place: Place;
  /** Types a line and presses Enter. */
  readonly enter: (text: string) => Promise<void>;
};

export type ReplOptions = TerminalOptions & {
  readonly files?: Readonly<Record<string, string>>;
  /** False: it does not begin with an idle prompt. */
  readonly ready?: false;
  /** TOML behind the profile. */
  readonly config?: string;
};

/** An idle prompt: the line of the editor is empty, and the footer is below it. */
export const IDLE = /^>\n\S.* · mock/m;

/** The executable on a terminal against a scripted endpoint, ready for a prompt. */
export async function openRepl(script: Script, options: ReplOptions = {}): Promise<OpenRepl> {
  const endpoint = newEndpoint(script);
  const place = newPlace({ ...configFor(endpoint.url, options.config), ...options.files });
  const terminal = await openTerminal(place, options);
  const enter = async (text: string) => {
    await terminal.type(text);
    await terminal.press("Enter");
  };
  const close = async () => {
    await terminal[Symbol.asyncDispose]();
    await endpoint.stop();
    place[Symbol.dispose]();
  };
  try {
    if (options.shell === undefined && options.ready !== false) await terminal.sees(IDLE);
  } catch (error) {
    // Nobody has it yet who could close it.
    await close();
    throw error;
  }
  return { ...terminal, endpoint, place, enter, [Symbol.asyncDispose]: close };
}

/** The texts of the user in the last request that the endpoint received. */
export const lastMessages = ({ requests }: Endpoint): string => JSON.stringify(requests.at(-1)?.body ?? null);
