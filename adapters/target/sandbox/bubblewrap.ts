import type { Walls } from "./walls.ts";

/**
 * Linux. Later mounts cover earlier ones, so what is hidden comes last. Processes are fenced in too: who can see buddy's
 * own could read its keys. `/run` goes because the sockets there lead out.
 */
export function bubblewrap(program: string, walls: Walls, argv: readonly string[]): readonly string[] {
  const { cwd, writable, kept, hiddenDirs, hiddenFiles, network } = walls;
  return [
    program,
    "--die-with-parent",
    ...["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--cap-drop", "ALL"],
    ...(network ? [] : ["--unshare-net"]),
    ...["--ro-bind", "/", "/"],
    ...writable.flatMap((path) => ["--bind", path, path]),
    ...["--dev", "/dev", "--proc", "/proc", "--tmpfs", "/run"],
    // Where the addresses of name servers often are.
    ...(network ? ["--ro-bind-try", "/run/systemd/resolve", "/run/systemd/resolve"] : []),
    ...kept.flatMap((path) => ["--ro-bind", path, path]),
    ...hiddenDirs.flatMap((path) => ["--tmpfs", path]),
    ...hiddenFiles.flatMap((path) => ["--ro-bind", "/dev/null", path]),
    ...["--chdir", cwd, "--", ...argv],
  ];
}
