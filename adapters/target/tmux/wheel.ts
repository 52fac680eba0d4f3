import type { Terminal } from "./probe.ts";

export type Standstill = {
  /** The line of the cursor up to the cursor. */
  readonly line: string;
  readonly alternate: boolean;
  readonly terminal: Terminal;
};

/** What a program that has gone quiet wants from the user: in words, or nothing that is known. */
export function askedOfUser({ line, alternate, terminal }: Standstill): string | undefined {
  if (alternate) return "a full-screen program (a pager or an editor) is open";
  const prompt = line.trimEnd();
  const known = ASKED.find(([pattern]) => pattern.test(prompt));
  if (known) return known[1];
  if (terminal.canonical && !terminal.echo)
    return "something is asked for that is not shown while it is typed";
  if (PAGER.test(prompt)) return "a pager shows a page at a time";
  return undefined;
}

const PAGER = /^(--More--|:|\(END\)|.*\(END\)|lines \d+-\d+.*|.*--More--.*)$/;

const ASKED: readonly (readonly [RegExp, string])[] = [
  [/passphrase\b[^\n]*:$/i, "a passphrase is asked for"],
  [
    /(password|passwort|mot de passe|contraseña|senha|kennwort|pin)\b[^\n]*[:：]$/i,
    "a password is asked for",
  ],
  [/\(yes\/no(\/\[fingerprint\])?\)\?$/i, "a host key has to be accepted"],
  [
    /(verification code|one[- ]time|otp|token|second factor|2fa|authenticator|duo)\b[^\n]*[:：?]$/i,
    "a second factor is asked for",
  ],
  [/^(username|user name|login|user)\b[^\n]*:$/i, "a login is asked for"],
];
