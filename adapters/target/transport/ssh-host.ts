import { err, ok, type Result } from "../../../core/result.ts";

export type SshHost = {
  readonly host: string;
  readonly user: string | undefined;
  readonly port: string | undefined;
};

/** What a name may not hold: it ends up in commands of the user's ssh_config (`%h`, `%r`) and in ours. */
const UNSAFE = /[\s"'`$\\;&<>|(){}*?!#\p{Cc}]/u;

/** `USER@HOST`, `USER@HOST:PORT`, `[ADDRESS]:PORT`, or a Host of ssh_config. */
export function parseSshHost(text: string): Result<SshHost, string> {
  const wrong = (why: string) => err(`--ssh "${text}": ${why}`);
  const at = text.lastIndexOf("@");
  const user = at === -1 ? undefined : text.slice(0, at);
  const { host, port } = splitPort(text.slice(at + 1));
  if (user === "") return wrong("there is no user before the @");
  if (host === "") return wrong("there is no host");
  if (host.startsWith("-") || user?.startsWith("-")) return wrong("a name cannot begin with a dash");
  if (UNSAFE.test(host) || (user !== undefined && UNSAFE.test(user))) {
    return wrong("a name has a character that no host or user has");
  }
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535)) {
    return wrong("the port must be a number from 1 to 65535");
  }
  return ok({ host, user, port });
}

function splitPort(text: string): { readonly host: string; readonly port: string | undefined } {
  const bracketed = /^\[([^\]]*)\](?::(.*))?$/s.exec(text);
  if (bracketed) return { host: bracketed[1] ?? "", port: bracketed[2] };
  const colon = text.indexOf(":");
  // More than one colon: an address of version 6 without a port.
  if (colon === -1 || colon !== text.lastIndexOf(":")) return { host: text, port: undefined };
  return { host: text.slice(0, colon), port: text.slice(colon + 1) };
}

export const sshName = ({ host, user, port }: SshHost): string =>
  `${user === undefined ? "" : `${user}@`}${host}${port === undefined ? "" : `:${port}`}`;
