import { describe, expect, test } from "bun:test";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { BUDDY } from "../cmd/run-buddy.ts";

const SCRIPT = join(import.meta.dir, "exec.sh");

type Spoken = { readonly code: number; readonly broken: readonly string[]; readonly kept: number };

/** What the script says; every line of it is a promise, or the count at the end. */
async function probe(argv: readonly string[], env: Readonly<Record<string, string>>): Promise<Spoken> {
  const child = Bun.spawn([...argv], {
    env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    detached: true,
  });
  const [out, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  const code = await child.exited;
  const lines = `${out}${errors}`.split("\n").filter((line) => line !== "");
  const broken = lines.filter((line) => !line.startsWith("ok ") && !/^1\.\.\d+$/.test(line));
  return { code, broken, kept: lines.filter((line) => line.startsWith("ok ")).length };
}

const PATH = process.env.PATH ?? "";
const LEAST = 100;

function expectKept({ code, broken, kept }: Spoken): void {
  expect(broken).toEqual([]);
  expect([code, kept >= LEAST]).toEqual([0, true]);
}

describe("the conformance script", () => {
  test("keeps every promise on this machine", async () => {
    expectKept(await probe(["/bin/sh", SCRIPT], { PATH, BUDDY }));
  }, 120_000);

  test("finds what is broken", async () => {
    const spoken = await probe(["/bin/sh", SCRIPT], { PATH, BUDDY: "/bin/true" });
    expect([spoken.code, spoken.broken.length > LEAST / 2]).toEqual([1, true]);
  }, 120_000);

  test("keeps every promise in a container with nothing but the executable", async () => {
    const missing = ["podman", "runc", "busybox"].filter((name) => find(name) === null);
    if (missing.length > 0 || process.getuid?.() !== 0) {
      return console.log(`skipped: needs root and ${missing.join(", ") || "podman"}`);
    }
    const root = mkdtempSync(join(tmpdir(), "buddy-conformance-"));
    try {
      expectKept(await probe(await containerCommand(root), { PATH }));
    } finally {
      await run(["podman", ...settings(root), "rmi", "-f", IMAGE]);
      rmSync(root, { recursive: true, force: true });
    }
  }, 240_000);
});

const IMAGE = "buddy-conformance";

const find = (name: string): string | null => Bun.which(name, { PATH: `${PATH}:/usr/sbin:/sbin` });

/** A store of its own: nothing of the user's is touched. */
const settings = (root: string): readonly string[] => [
  "--root",
  join(root, "store"),
  "--runroot",
  join(root, "run"),
  "--storage-driver",
  "vfs",
  "--runtime",
  find("runc") ?? "runc",
  "--cgroup-manager",
  "cgroupfs",
];

/** An unprivileged user that nobody knows, a root that cannot be written, no home, no network. */
async function containerCommand(root: string): Promise<readonly string[]> {
  const archive = join(root, "image.tar");
  await makeTree(join(root, "tree"));
  await mustRun(["tar", "-C", join(root, "tree"), "-cf", archive, "."]);
  await mustRun(["podman", ...settings(root), "import", "-q", archive, IMAGE]);
  const busybox = find("busybox") ?? "busybox";
  const limits = ["nofile=1024:1024", "nproc=1024:1024"].flatMap((limit) => ["--ulimit", limit]);
  const uid = 20_000 + Math.floor(Math.random() * 20_000);
  return [
    ...["podman", ...settings(root), "run", "--rm", "--network=none", "--read-only", ...limits],
    ...["--user", `${uid}:${uid}`, "--unsetenv", "HOME", "--read-only-tmpfs=false"],
    ...["--tmpfs", "/tmp:rw,mode=1777", "--workdir", "/tmp"],
    // What the script itself needs comes from outside.
    ...["-v", `${busybox}:/bin/sh:ro`, "-v", `${SCRIPT}:/exec.sh:ro`],
    ...["-e", "BUDDY=/usr/bin/buddy", IMAGE, "/bin/sh", "-c", "unset HOME; . /exec.sh"],
  ];
}

/** The executable, the libraries that it names, the certificates. */
async function makeTree(tree: string): Promise<void> {
  for (const dir of ["tmp", "proc", "dev", "sys", "bin", "usr/bin"])
    mkdirSync(join(tree, dir), { recursive: true });
  chmodSync(join(tree, "tmp"), 0o1777);
  cpSync(BUDDY, join(tree, "usr/bin/buddy"));
  chmodSync(join(tree, "usr/bin/buddy"), 0o755);
  writeFileSync(join(tree, "bin/sh"), "");
  writeFileSync(join(tree, "exec.sh"), "");
  const libraries = (await mustRun(["ldd", BUDDY])).match(/\/\S+/g) ?? [];
  for (const path of [...libraries, "/etc/ssl/certs/ca-certificates.crt"]) {
    mkdirSync(join(tree, dirname(path)), { recursive: true });
    cpSync(path, join(tree, path), { dereference: true });
  }
}

async function run(argv: readonly string[]) {
  const child = Bun.spawn([...argv], { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [out, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out, errors };
}

async function mustRun(argv: readonly string[]): Promise<string> {
  const { code, out, errors } = await run(argv);
  if (code !== 0) throw new Error(`${argv.join(" ")} ended with ${code}: ${errors}`);
  return out;
}
