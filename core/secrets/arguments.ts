import { type MaskRule, maskSpans, type Span } from "./mask.ts";
import { isStandIn } from "./stand-in.ts";

/** Masks passwords that commands take behind short options: `curl -u me:…`, `mysql -p…`, `sshpass -p …`. */
export const secretArguments: MaskRule = (text, mask) =>
  maskSpans(text, SHORT_OPTION, (match) => argument(text, match), mask);

const SHORT_OPTION = /[ \t"'](-u|--user|-p)(["']?[ \t=,]{0,4}["']?)([^\s"'`\\,]{3,})/g;
const FARTHEST_COMMAND = 400;

function argument(text: string, match: RegExpExecArray): readonly Span[] {
  const [all, option = "", gap = "", value = ""] = match;
  const before = text.slice(Math.max(0, match.index - FARTHEST_COMMAND), match.index);
  const command = before.slice(
    Math.max(...["\n", "|", ";", "&"].map((sign) => before.lastIndexOf(sign))) + 1,
  );
  const secret = option === "-p" ? passwordOf(command, gap, value) : userPassword(command, value);
  const to = match.index + all.length;
  return isStandIn(secret) ? [] : [{ from: to - secret.length, to }];
}

/** `mysql -p name` asks for the password and opens the database `name`. */
function passwordOf(command: string, gap: string, value: string): string {
  if (/\b(?:mysql|mysqldump|mysqladmin|mariadb)\b/.test(command)) return gap === "" ? value : "";
  return /\b(?:sshpass|docker login|podman login|helm registry login)\b/.test(command) ? value : "";
}

function userPassword(command: string, value: string): string {
  const password = value.slice(value.indexOf(":") + 1);
  const isUser = /\b(?:curl|wget|https?|xh)\b/.test(command) && value.includes(":");
  return isUser && !/^\d+$/.test(password) ? password : "";
}
