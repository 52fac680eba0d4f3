import { REMOTE } from "./deny-download.ts";
import { literalsIn, MAX_CODE, runsSomething } from "./embedded.ts";
import { hasHole } from "./hole.ts";
import { ask, deny, type Finding, type Invocation, strictestOf } from "./invocation.ts";
import { judgeRemoval, type Place } from "./protected-paths.ts";
import { placeOf } from "./rule.ts";
import { judgeWrite } from "./sensitive-paths.ts";
import { isCodeInterpreter, sourceOf } from "./shells.ts";

const REMOVES =
  /\b(rmtree|rm_rf|rm_r|rm_f|remove_entry\w*|removedirs|rmSync|rmdirSync|rimraf|remove_tree|rmdir|unlink\w*|removeSync|rm|remove|delete|truncate)\b/;
const WRITES =
  /['"]\s*,\s*(mode\s*=\s*)?['"][wa+x]\w*|\b(write\w*|append\w*|File\.open|file_put_contents|copy\w*|move|rename|symlink|chmod\w*|chown\w*|truncate|open)\b|>{1,2}\s*["']/;
const FORKS =
  /\bfork\b[^;]*\bwhile\b|\bwhile\b[\s\S]*\bfork\s*\(?|\bfork\s*\(\)\s*while\b|loop\s*\{\s*fork|for\s*\(;;\)[\s\S]*fork/;
const CONNECTS = /\b(socket|fsockopen|TCPSocket|net\.connect|createConnection|IO::Socket)\b/;
const SHELL_ON_IT = /\b(dup2|pty|spawn|exec\w*|subprocess|popen|system|\/bin\/(ba)?sh|fdopen|StdioConnect)\b/;
const FETCHES =
  /\b(URI\.open|MLWP|urlopen|urllib|requests\.get|http\.get|https\.get|fetch\(|Net::HTTP|LWP|open-uri|file_get_contents\(\s*['"]https?)/;
const EVALUATES =
  /\b(exec|eval|compile|system|Function|popen|child_process|instance_eval|spawn\w*|subprocess)\b/;

/** A program in the words of the command: what can be seen in it, and otherwise that it cannot be told. */
export function judgeCode(invocation: Invocation, home: string): Finding | undefined {
  const whole = codeOf(invocation);
  if (whole === undefined) return undefined;
  const code = whole.slice(0, MAX_CODE);
  if (FETCHES.test(invocation.argv.join(" ")) && EVALUATES.test(code)) return REMOTE;
  return (
    judgeText(code, placeOf(invocation, home)) ??
    (isCodeInterpreter(invocation.name) && !isPlain(whole)
      ? ask("cannot-tell", "What a program text does cannot be told before it runs")
      : undefined)
  );
}

function codeOf({ name, argv, stdin }: Invocation): string | undefined {
  if (/^[gmn]?awk$/.test(name)) return argv.slice(1).join("\n");
  if (!isCodeInterpreter(name)) return undefined;
  const source = sourceOf(name, argv.slice(1));
  if (source.type === "text") return source.text;
  return source.type === "stdin" ? stdin.text : undefined;
}

function judgeText(code: string, place: Place): Finding | undefined {
  if (FORKS.test(code)) return deny("fork-bomb", "It would start itself again and again");
  if (/\/inet\d?\/(tcp|udp)\//.test(code) && /getline|system/.test(code)) {
    return deny("reverse-shell", "It would give somebody else a shell on this machine");
  }
  if (CONNECTS.test(code) && SHELL_ON_IT.test(code)) {
    return deny("reverse-shell", "It would give somebody else a shell on this machine");
  }
  if (FETCHES.test(code) && EVALUATES.test(code)) return REMOTE;
  const literals = literalsIn(code).slice(0, 500);
  const removed = REMOVES.test(code)
    ? strictestOf(literals, (path) => denied(judgeRemoval(fromTilde(path, place), place)))
    : undefined;
  const homeless =
    REMOVES.test(code) &&
    /\b(rmtree|rm_rf|rmSync|rm_r|remove_tree)\b[^\n]*\b(expanduser\(\s*['"]~\/?['"]|homedir\(\)\s*[,)]|Dir\.home\s*\)|Path\.home\(\)\s*\)|\bHOME\b['"\])]*\s*\))/.test(
      code,
    );
  if (homeless) return deny("remove-system", "It would remove a home directory");
  const written =
    WRITES.test(code) || REMOVES.test(code)
      ? strictestOf(literals, (path) => denied(judgeWrite(fromTilde(path, place), place)))
      : undefined;
  return (
    removed ??
    written ??
    (runsSomething(code) ? ask("cannot-tell", "The program text may run anything") : undefined)
  );
}

/** Only prints, counts and replaces: no file, process, connection or evaluation, and nothing to make one from. */
function isPlain(code: string): boolean {
  if (code.length > 2000 || hasHole(code)) return false;
  const words = code.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/gs, '""');
  return (
    ![REMOVES, WRITES, CONNECTS, FETCHES, EVALUATES, REACHES_OUT].some((pattern) => pattern.test(words)) &&
    !runsSomething(words)
  );
}

const REACHES_OUT =
  /\b(import|from|require|include|use|load|open|getattr|globals|locals|vars|builtins|process|Bun|Deno|env|ENV|os|sys|fs|chr|pack|unpack|decode|atob|Buffer|fromCharCode|constructor|this|globalThis|window|send|method|const_get|kill|exit|do|glob|io|File|Dir|IO|Kernel|ObjectSpace|sleep|input|argv)\b|__|\/[ismxg]*e[ismxg]*\s*(;|$)|\[""|\$\{|<</;

/** Perl writes how a file is opened before its name. */
function fromTilde(literal: string, { home }: Place): string {
  const path = literal.replace(/^\+?[<>]{1,2}\s*/, "");
  return /^~(\/|$)/.test(path) ? home + path.slice(1) : path;
}

const denied = (finding: Finding | undefined): Finding | undefined =>
  finding?.verdict === "deny" ? finding : undefined;
