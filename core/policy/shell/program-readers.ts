import { splitArguments } from "./options.ts";

/** `find` without what runs, removes or writes. */
const find = (args: readonly string[]): boolean =>
  !args.some((arg) => /^-(exec|execdir|ok|okdir|delete|fprint0?|fprintf|fls|files0-from)$/.test(arg));

const ADDRESS = String.raw`(?:\d+|\$|\/(?:[^/\\\n]|\\.)*\/[IM]?)`;
const ADDRESSES = String.raw`\s*(?:${ADDRESS}(?:\s*[,~]\s*[+~]?${ADDRESS})?)?\s*!?\s*`;
const SUBSTITUTE = String.raw`s([/|,#:@!%])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\\n]|\\.)*\1[gpIi0-9]*`;
/** Commands of sed that print or change only what it prints. */
const SED_COMMAND = new RegExp(String.raw`^${ADDRESSES}(?:[pdqQnNDPhHgGxz=l]\s*\d*|${SUBSTITUTE})\s*$`);

const sed = (args: readonly string[]): boolean => {
  const { options, operands, values } = splitArguments(args, {
    short: "el",
    long: ["expression", "line-length"],
  });
  const harmless = options.every((option) =>
    /^-([nErsuz]+|[nErsuz]*e.*|l\d*)$|^--(quiet|silent|regexp-extended|separate|unbuffered|null-data|expression.*|line-length.*|posix|debug)$/.test(
      option,
    ),
  );
  if (!harmless) return false;
  const given = [...(values.get("e") ?? []), ...(values.get("expression") ?? [])];
  const scripts = given.length > 0 ? given : operands.slice(0, 1);
  return (
    scripts.length > 0 &&
    scripts.every((script) =>
      script
        .split(/[;\n](?![^/]*\/[gpIi0-9]*(?:[;\n]|$))/)
        .every((part) => part.trim() === "" || SED_COMMAND.test(part)),
    )
  );
};

/** A program of awk that neither writes, runs nor reads anything but its input. */
const awk = (args: readonly string[]): boolean => {
  const { options, operands } = splitArguments(args, { short: "Fv" });
  if (!options.every((option) => /^-[Fv]/.test(option))) return false;
  const [program = ""] = operands;
  return (
    program !== "" &&
    !/[>|]|\b(system|getline|close|fflush|ENVIRON|PROCINFO|include|load|namespace|extension|printf?\s*\()\b|@/.test(
      program,
    )
  );
};

export const readsByProgram = { find, sed, awk };
