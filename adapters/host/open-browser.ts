import { childEnv } from "./child-env.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Opens an address in the user's browser where there is one. The address was printed too, so failing is no failure. */
export function openInBrowser(url: string, env: Env): void {
  const opener = openerFor(process.platform, env);
  if (opener === undefined) return;
  try {
    Bun.spawn([...opener, url], {
      env: { ...childEnv(env) },
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
    }).unref();
  } catch {
    // no such program: the user opens the printed address
  }
}

function openerFor(platform: string, env: Env): readonly string[] | undefined {
  if (platform === "darwin") return ["/usr/bin/open"];
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  const opener =
    env.DISPLAY || env.WAYLAND_DISPLAY ? Bun.which("xdg-open", { PATH: absolutePath(env) }) : null;
  return opener === null ? undefined : [opener];
}

/** Only absolute directories: a program of the working directory is never run. */
const absolutePath = (env: Env): string =>
  (env.PATH ?? "")
    .split(":")
    .filter((dir) => dir.startsWith("/"))
    .join(":");
