import { hasHole } from "./hole.ts";
import { ask, deny, type Finding, type Invocation } from "./invocation.ts";
import { splitArguments } from "./options.ts";
import { placeOf } from "./rule.ts";
import { isSecret } from "./sensitive-paths.ts";
import { words } from "./words.ts";

const LEAK = deny("secrets-leave", "It would send keys, credentials or the environment to another machine");

/** Secrets on their way to another machine: in arguments, in input, in what is read for either. */
export function judgeLeak(invocation: Invocation, home: string): Finding | undefined {
  const { name, inner, stdin } = invocation;
  if (sendsOutput(invocation) && revealsSecrets(invocation, home)) return LEAK;
  const sent = sentWords(invocation);
  if (sent === undefined) return resolvesNames(invocation, home);
  const place = placeOf(invocation, home);
  const files = sent.map((word) => word.replace(/^[^@]*@/, "").replace(/^<|[;,].*$/g, ""));
  if (
    [...sent, ...files].some(
      (word) => word !== "" && !/^[\w.-]+@?[\w.-]*:/.test(word) && isSecret(word, place),
    )
  )
    return LEAK;
  const feeds = takesInput(name) ? [...stdin.from, ...inner] : inner;
  if (feeds.some((one) => revealsSecrets(one, home))) return LEAK;
  if (takesInput(name) && stdin.from.length === 0) {
    const file = invocation.redirects.find(({ operator }) => operator === "<")?.target;
    if (file !== undefined && isSecret(file, place)) return LEAK;
  }
  return undefined;
}

const sendsOutput = ({ redirects }: Invocation): boolean =>
  redirects.some(({ operator, target }) => operator.includes(">") && /^\/dev\/(tcp|udp)\//.test(target));

/** Prints the environment, a key, or a file that holds one. */
export function revealsSecrets(invocation: Invocation, home: string): boolean {
  const { name, argv, redirects } = invocation;
  const args = argv.slice(1);
  const place = placeOf(invocation, home);
  if (printsEnvironment(invocation)) return true;
  if (name === "security" && args.some((arg) => /find-(generic|internet)-password|dump-keychain/.test(arg)))
    return true;
  if (/^(gpg|gpg2)$/.test(name) && args.some((arg) => /^--export-secret/.test(arg))) return true;
  if (
    /^(gh|gcloud|az|aws|op|pass|vault|secret-tool|bw|doppler)$/.test(name) &&
    /auth (token|print)|get-access-token|configure get|print-access-token|^(read|show|get|lookup|kv get|item get)/.test(
      args.join(" "),
    )
  )
    return true;
  const words = [
    ...args.map((arg) => arg.replace(/^[^=]*=/, "")),
    ...redirects.filter(({ operator }) => operator === "<").map(({ target }) => target),
  ];
  return words.some((word) => !word.startsWith("-") && isSecret(word, place));
}

/** `env`, `printenv`, `set`, `export -p` without anything that they would run or change. */
export function printsEnvironment({ name, argv }: Invocation): boolean {
  const args = argv.slice(1);
  if (name === "printenv" || name === "env") return args.every((arg) => /^(-0|--null)$/.test(arg));
  if (name === "set") return args.length === 0;
  return /^(export|declare|typeset|readonly)$/.test(name) && args.every((arg) => /^-[a-z]*[px]/.test(arg));
}

const takesInput = (name: string): boolean => !/^(scp|rsync|sftp)$/.test(name);

const CURL_SENDS = words(
  "data data-binary data-raw data-urlencode data-ascii form form-string upload-file json url-query header",
);

/** What a command sends away; undefined when it sends nothing. */
function sentWords({ name, argv }: Invocation): readonly string[] | undefined {
  const args = argv.slice(1);
  switch (name) {
    case "curl": {
      const { values } = splitArguments(args, {
        short: "dFTHXouAebKxEcDwm",
        long: [...CURL_SENDS, ...words("output user request cert key cacert netrc-file config")],
      });
      const sends = [...words("d F T H"), ...CURL_SENDS].flatMap((key) => values.get(key) ?? []);
      const addresses = args.filter((arg) => /^https?:/.test(arg) && hasHole(arg));
      return sends.length > 0 || addresses.length > 0
        ? sends.flatMap((one) => [one, one.replace(/^[^=]*=/, "")])
        : undefined;
    }
    case "wget":
    case "wget2":
      return args.some((arg) => /^--(post|body|method)/.test(arg) || (/^https?:/.test(arg) && hasHole(arg)))
        ? args.map((arg) => arg.replace(/^--(post|body)-(file|data)=/, ""))
        : undefined;
    case "nc":
    case "ncat":
    case "netcat":
    case "socat":
    case "telnet":
    case "mail":
    case "mailx":
    case "sendmail":
    case "mutt":
    case "ftp":
    case "http":
    case "https":
    case "xh":
    case "rclone":
    case "gsutil":
    case "croc":
    case "transfer":
      return args;
    case "openssl":
      return args[0] === "s_client" ? [] : undefined;
    case "ssh":
      return [];
    case "scp":
    case "rsync":
    case "sftp": {
      const { operands } = splitArguments(args, {
        short: "oSeiFPlcJ",
        long: ["rsh", "exclude", "include", "files-from"],
      });
      return operands.slice(0, -1).length > 0 && operands.some((one) => /^[^/]*:/.test(one))
        ? operands.filter((one) => !/^[^/]*:/.test(one))
        : undefined;
    }
    case "aws":
      return args.includes("cp") || args.includes("sync") || args.includes("mv") ? args : undefined;
    case "gh":
      return args[0] === "gist" ? args : undefined;
    default:
      return undefined;
  }
}

/** A name that is looked up carries what is in it to whoever answers. */
function resolvesNames({ name, argv, inner }: Invocation, home: string): Finding | undefined {
  if (
    !/^(nslookup|dig|host|ping|ping6|traceroute|drill|resolvectl|getent|curl|wget)$/.test(name) ||
    inner.length === 0
  )
    return undefined;
  if (!argv.some(hasHole)) return undefined;
  return inner.some((one) => revealsSecrets(one, home))
    ? LEAK
    : ask("network", "It would send what a command prints as part of a name");
}

/** Reading what is for its owner only puts it into the conversation. */
export function judgeSecretRead(invocation: Invocation, home: string): Finding | undefined {
  if (LOOKS_ONLY.test(invocation.name) || USES_KEYS.test(invocation.name)) return undefined;
  return revealsSecrets(invocation, home)
    ? ask("secrets-read", "It would read keys, credentials or the environment")
    : undefined;
}

const LOOKS_ONLY =
  /^(ls|stat|test|\[|\[\[|file|find|realpath|readlink|basename|dirname|du|echo|printf|git|touch|chmod|chown|mkdir|env|df|lsof|\.|source|)$/;
const USES_KEYS =
  /^(sgdisk|fdisk|gdisk|sfdisk|wipefs|parted|lsblk|blkid|smartctl|hdparm|mount|dd|ssh|scp|sftp|rsync|ssh-add|ssh-keygen|openssl|docker|docker-compose|kubectl|helm|terraform|gpg|curl|node|npm|rm|cp|mv)$/;
