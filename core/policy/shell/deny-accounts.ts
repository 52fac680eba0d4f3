import { ask, deny } from "./invocation.ts";
import { named, onlyLooks, type RuleTable, when } from "./rule.ts";
import { words } from "./words.ts";

const PRIVILEGES = deny("privileges", "It would change who may do what on this machine");
const KERNEL = deny("kernel", "It would change the running kernel");
const FIREWALL = deny("firewall", "It would take the network protection away");

/** Users, rights, kernel, network filters, timetables, traces. */
export const ACCOUNT_RULES: RuleTable = new Map([
  ...named(
    words(`
      userdel deluser groupdel delgroup usermod groupmod chpasswd vipw vigr gpasswd newusers visudo
    `),
    (invocation) => (onlyLooks(invocation, "-c", "--check") ? undefined : PRIVILEGES),
  ),
  ...named(["useradd", "adduser", "groupadd", "addgroup", "chsh", "chfn"], ({ argv }) =>
    argv.some(
      (arg, at) => /^(-u|--uid)[ =]?0*$/.test(arg) && (/0$/.test(arg) || /^0+$/.test(argv[at + 1] ?? "")),
    )
      ? PRIVILEGES
      : ask("privileges", "It would change the users of this machine"),
  ),
  ...named(["passwd"], ({ argv }) =>
    argv.includes("-S")
      ? undefined
      : argv.some((arg) => arg === "root" || /^-[dlue]/.test(arg))
        ? PRIVILEGES
        : ask("privileges", "It would change a password"),
  ),
  ...named(["dscl", "sysadminctl"], when(/(-?create|-?delete|-?append|-?passwd|-?merge)/i, PRIVILEGES)),
  ...named(["setcap"], () => PRIVILEGES),
  ...named(["setenforce", "aa-teardown", "aa-disable"], () =>
    deny("kernel", "It would take protection of the system away"),
  ),
  ...named(
    ["csrutil", "spctl"],
    when(/disable/, deny("kernel", "It would take protection of the system away")),
  ),
  ...named(["insmod", "rmmod", "kextload", "kextunload", "kldload", "kldunload"], () => KERNEL),
  ...named(["modprobe"], (invocation) =>
    onlyLooks(invocation, "-n", "--dry-run", "-D", "--show-depends", "-c", "--showconfig", "-V")
      ? undefined
      : KERNEL,
  ),
  ...named(["sysctl"], ({ argv }) =>
    argv.slice(1).some((arg) => /^-[a-z]*[wp]|^--(write|load|system)/.test(arg) || arg.includes("="))
      ? KERNEL
      : undefined,
  ),
  ...named(
    ["iptables", "ip6tables", "iptables-legacy", "iptables-nft", "ebtables", "arptables"],
    when(/(^|\s)(-F|--flush|-X|--delete-chain|-P|--policy|-Z|-D)\b/, FIREWALL),
  ),
  ...named(["nft"], when(/\b(flush|delete|destroy)\b/, FIREWALL)),
  ...named(["ufw"], when(/\b(disable|reset)\b/, FIREWALL)),
  ...named(["pfctl"], when(/(^|\s)-[a-zA-Z]*[dF]/, FIREWALL)),
  ...named(["firewall-cmd"], when(/--(panic-on|complete-reload|remove|reset)/, FIREWALL)),
  ...named(["crontab"], ({ argv }) =>
    argv.slice(1).some((arg) => arg === "-l" || arg === "--help")
      ? undefined
      : deny("cron", "It would change what runs by the clock"),
  ),
  ...named(["at", "batch"], ({ argv }) =>
    argv.includes("-l") ? undefined : ask("cron", "It would run something later, out of sight"),
  ),
  ...named(
    ["launchctl"],
    when(
      /\b(load|bootstrap|submit|unload|bootout|reboot|disable|remove)\b/,
      deny("start-up-files", "It would change what the system starts"),
    ),
  ),
  ...named(["history", "fc"], ({ name, argv }) =>
    name === "history" && argv.slice(1).some((arg) => /^-[a-z]*[cdw]/.test(arg))
      ? deny("history", "It would wipe the history of a shell")
      : undefined,
  ),
  ...named(
    ["journalctl"],
    when(/--(vacuum|rotate|flush|relinquish)/, deny("logs", "It would remove logs of the system")),
  ),
  ...named(
    ["dmesg"],
    when(/(^|\s)(-[a-z]*[cC]|--(clear|read-clear))\b/, deny("logs", "It would remove logs of the system")),
  ),
  ...named(["auditctl"], when(/(^|\s)-[Dde]/, deny("logs", "It would take the audit of the system away"))),
  ...named(["wevtutil"], when(/\b(cl|clear-log)\b/, deny("logs", "It would remove logs of the system"))),
]);
