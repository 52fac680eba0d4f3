import { ask, deny, type Finding, type Invocation } from "./invocation.ts";
import { splitArguments } from "./options.ts";
import { resolvePath } from "./paths.ts";
import { named, onlyLooks, type Rule, type RuleTable, when } from "./rule.ts";

const POWER = deny("power", "It would stop or restart the machine");
const power: Rule = (invocation) =>
  onlyLooks(invocation, "-c", "--show") || isSomebodysOwn(invocation) ? undefined : POWER;

/** `./reboot` is a program of the project, whatever it is called. */
const isSomebodysOwn = ({ argv: [program = ""], cwd }: Invocation): boolean =>
  program.includes("/") && !/^\//.test(resolvePath(program, cwd)) && !program.startsWith("..");

/** The machine itself, and the processes it stands on. */
export const POWER_RULES: RuleTable = new Map([
  ...named(["shutdown", "reboot", "halt", "poweroff", "pm-hibernate", "pm-suspend", "systemd-halt"], power),
  ...named(["init", "telinit"], when(/^(0|1|6|s|S|single|q|u)\b/, POWER)),
  ...named(
    ["systemctl", "loginctl"],
    when(
      /(^|\s)(poweroff|reboot|halt|kexec|soft-reboot|rescue|emergency|suspend|hibernate|hybrid-sleep|suspend-then-hibernate|exit|default\.target|isolate)(\s|$)|start\s+(poweroff|reboot|halt|rescue|emergency|shutdown)\.target/,
      POWER,
    ),
  ),
  ...named(["kexec"], when(/(^|\s)(-e|--exec|-f|--force)\b/, POWER)),
  ...named(
    ["dbus-send", "busctl", "gdbus", "qdbus"],
    when(/(PowerOff|Reboot|Halt|Suspend|Hibernate|logout|shutdown)/i, POWER),
  ),
  ...named(["osascript"], when(/(shut ?down|restart|log ?out|sleep)/i, POWER)),
  ...named(["ipmitool"], when(/power\s+(off|reset|cycle|soft)/, POWER)),
  ...named(["kill"], judgeKill),
  ...named(["pkill", "killall", "killall5", "skill"], judgePkill),
]);

/** Process 1 is the system; -1 is every process. */
function judgeKill({ argv }: Invocation): Finding | undefined {
  const args = argv.slice(1);
  if (/^-[lL]/.test(args[0] ?? "")) return undefined;
  const named = /^(-s|-n|--signal|-q)$/.test(args[0] ?? "");
  const rest = named ? args.slice(2) : /^-/.test(args[0] ?? "") && args[0] !== "--" ? args.slice(1) : args;
  const targets = rest.filter((arg) => arg !== "--");
  if (targets.some((arg) => arg === "1" || arg === "-1" || arg === "+1")) {
    return deny("kill-system", "It would end the first process, or every process");
  }
  return undefined;
}

function judgePkill({ name, argv }: Invocation): Finding | undefined {
  const { operands, options, values } = splitArguments(argv.slice(1), {
    short: "ugUGPstFnos",
    long: ["signal", "uid", "euid", "group", "user"],
  });
  if (name === "killall5") return deny("kill-system", "It would end every process");
  if (
    operands.some((one) =>
      /^(systemd|init|launchd|\.\*?|\^?\.\+?|dbus-daemon|kernel_task|WindowServer)$/.test(one),
    )
  ) {
    return deny("kill-system", "It would end what the system runs on");
  }
  const byUser =
    values.has("u") || values.has("U") || values.has("uid") || values.has("user") || options.includes("-u");
  return byUser ? ask("kill-system", "It would end every process of a user") : undefined;
}
