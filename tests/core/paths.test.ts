import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { judgePath, type PathRules } from "../../core/policy/paths.ts";
import { pathRows } from "../adapters/path-rows.ts";

const rows = pathRows();

const PLACE: PathRules = { home: "/home/u", cwd: "/home/u/proj", allowedPaths: [], operation: "write" };

const ruleFor = (path: string, rules: Partial<PathRules> = {}): string => {
  const verdict = judgePath(path, { ...PLACE, ...rules });
  return verdict.type === "allowed" ? "allowed" : verdict.rule;
};

describe("the corpus of paths, by their letters", () => {
  const lexical = rows.filter(({ context }) => context.setup.length === 0);

  test("is there", () => {
    expect([rows.length > 80, lexical.length > 75]).toEqual([true, true]);
  });

  test.each(lexical.map((row) => [row.id, row.why, row] as const))("%s: %s", (_id, _why, row) => {
    const { home, cwd, allow_roots: allowedPaths } = row.context;
    const operation = row.tool === "read_file" ? "read" : "write";
    const verdict = judgePath(row.input, { home: home ?? undefined, cwd, allowedPaths, operation });
    expect(verdict.type).toBe(row.expected === "allow" ? "allowed" : "denied");
  });
});

describe("judgePath() for writing", () => {
  test.each([
    // the same place spelled in other ways
    ["/etc/../etc/passwd", "system"],
    ["/tmp/../etc/passwd", "system"],
    ["/./etc/./passwd", "system"],
    ["///etc///passwd", "system"],
    ["../../../etc/passwd", "system"],
    ["../../../../../../../../etc/passwd", "system"],
    ["/ETC/passwd", "system"],
    ["/Etc/passwd", "system"],
    ["/etc", "system"],
    ["/etc./passwd", "system"],
    ["/ｅtc/passwd", "system"],
    ["/proc/self/root/home/u/proj/x", "system"],
    ["/proc/self/cwd/x", "system"],
    ["/proc/self/fd/3", "system"],
    ["/dev/fd/1", "system"],
    ["/dev/stdout", "system"],
    ["/dev/tcp/host/1", "system"],
    ["/sys/power/state", "system"],
    ["/boot/grub/grub.cfg", "system"],
    ["/lib64/ld-linux-x86-64.so.2", "system"],
    ["/lib32/x", "system"],
    ["/run/systemd/x", "system"],
    ["/var/spool/cron/crontabs/u", "system"],
    ["/var/run/docker.sock", "system"],
    ["/usr", "system"],
    ["/root/x", "system"],
    ["/System/Library/x", "system"],
    ["/Library/LaunchDaemons/x.plist", "system"],
    ["/private/etc/hosts", "system"],
    ["/private/var/root/x", "system"],
    ["/Applications/X.app/x", "system"],
    // homes
    ["~/.ssh/authorized_keys", "home.secret"],
    ["~/.ssh", "home.secret"],
    ["~/.SSH/authorized_keys", "home.secret"],
    ["~//.ssh//x", "home.secret"],
    ["~/./proj/../.ssh/x", "home.secret"],
    ["../.ssh/x", "home.secret"],
    ["~/.ssh./x", "home.secret"],
    ["~/.aws/credentials", "home.secret"],
    ["~/.kube/config", "home.secret"],
    ["~/.config/gh/hosts.yml", "home.secret"],
    ["/home/other/.ssh/authorized_keys", "home.secret"],
    ["/Users/u/.ssh/x", "home.secret"],
    ["/Users/u/.zshrc", "home.startup"],
    ["/Users/u/Library/LaunchAgents/x.plist", "home.startup"],
    ["/home/other/.bashrc", "home.startup"],
    ["~/.zshrc", "home.startup"],
    ["~/.BashRC", "home.startup"],
    ["~/.config/fish/config.fish", "home.startup"],
    ["~/.config/nvim/init.lua", "home.startup"],
    ["~/bin/git", "home.startup"],
    ["~/.config/buddy/plugins/x.ts", "own"],
    ["~/.config/agent/agent.toml", "own"],
    ["~/.local/state/buddy/trust.json", "own"],
    // projects
    [".git/hooks/pre-commit", "git"],
    [".git/config", "git"],
    [".GIT/config", "git"],
    [".git./config", "git"],
    [".git /config", "git"],
    [".git::$INDEX_ALLOCATION/config", "git"],
    ["GIT~1/hooks/x", "git"],
    ["．git/hooks/x", "git"],
    ["a/b/../.git/config", "git"],
    ["/tmp/x/.git/modules/y/config", "git"],
    ["/tmp/bare.git/hooks/post-receive", "git"],
    ["/tmp/bare.git/config", "git"],
    ["Buddy.TOML", "project"],
    ["sub/buddy.toml", "project"],
    ["agent.toml", "project"],
    ["bunfig.toml", "project"],
    [".husky/pre-commit", "project"],
    [".vscode/settings.json", "project"],
    // words that are no path, or the path of something else
    ["", "syntax.empty"],
    ["\n", "syntax.empty"],
    ["a\u0000", "syntax.nul"],
    ["http://x/y", "syntax.url"],
    ["FILE://etc/x", "syntax.url"],
    ["~root/.bashrc", "syntax.tilde"],
    ["~u/x", "syntax.tilde"],
    ["~+/x", "syntax.tilde"],
    ["~", "syntax.directory"],
    [".", "syntax.directory"],
    ["a/..", "syntax.directory"],
    ["a/.", "syntax.directory"],
    ["a/", "syntax.directory"],
    ["a\u200bb", "syntax.invisible"],
    [".g\u200cit/config", "syntax.invisible"],
    ["a\u2066b", "syntax.invisible"],
    ["a\u{e0041}", "syntax.invisible"],
    ["a\u2028b", "syntax.invisible"],
    ["a∕b", "syntax.slash"],
    ["..⁄..⁄x", "syntax.slash"],
    ["file:/etc/passwd", "syntax.url"],
    ["$HOME/.ssh/x", "syntax.variable"],
    ["$\u007bHOME}/.ssh/x", "syntax.variable"],
    ["$TMPDIR", "syntax.variable"],
    ["%USERPROFILE%\\x", "syntax.variable"],
    ["%2e%2e/%2e%2e/etc/passwd", "syntax.encoded"],
    ["..%2F..%2Fetc/passwd", "syntax.encoded"],
    ["a%252e%252e", "syntax.encoded"],
    ["src\\..\\..\\x", "syntax.backslash"],
    ["..\\x", "syntax.backslash"],
    [" /etc/passwd", "syntax.blank"],
    [".devcontainer/devcontainer.json", "project"],
    ["~/.local/share/buddy/x", "own"],
    ["C:\\Windows\\x", "syntax.windows"],
    ["c:/Windows/x", "syntax.windows"],
    ["\\\\host\\share", "syntax.windows"],
    ["é".repeat(128), "syntax.length"],
    [`${"x/".repeat(2048)}y`, "syntax.length"],
  ])("refuses %j by %s", (path, rule) => {
    expect(ruleFor(path)).toBe(rule);
  });

  test.each([
    "x",
    "./x",
    "a/../b",
    "/tmp/x",
    "/var/tmp/x",
    "/var/folders/ab/T/x",
    "/private/tmp/x",
    "/home/u/other/x",
    "/home/u/etc/passwd",
    "/srv/site/x",
    "/mnt/data/x",
    "/etcetera/x",
    "/usr2/x",
    "x/.ssh/y",
    "~/notes/.bashrc.bak",
    ".github/workflows/ci.yml",
    ".gitignore",
    ".gitattributes",
    ".git-blame-ignore-revs",
    "git/config",
    ".env",
    "src/config",
    "hooks/x",
    "my.github/x",
    ".vscode/extensions.json",
    "a b/c d",
    "日本語/ファイル.txt",
    "naïve\u00a0name",
    "é".repeat(127),
    "-rf",
    "a:b",
    "~/proj/x",
    "./~name",
    "a\\b",
    "a$HOME",
    "$(id).txt",
    "100%",
    "50%25.txt",
    "a b",
    "etc/passwd",
    "...",
    "a/...",
  ])("allows %j", (path) => {
    expect(ruleFor(path)).toBe("allowed");
  });

  test("leaves the user's own home alone, wherever it is", () => {
    expect(ruleFor("~/x", { home: "/root", cwd: "/root/p" })).toBe("allowed");
    expect(ruleFor("/root/p/x", { home: "/root", cwd: "/root/p" })).toBe("allowed");
    expect(ruleFor("~/.ssh/x", { home: "/root", cwd: "/root" })).toBe("home.secret");
    expect(ruleFor("~/w/x", { home: "/var/lib/jenkins", cwd: "/var/lib/jenkins" })).toBe("allowed");
    expect(ruleFor("/var/lib/dpkg/status", { home: "/var/lib/jenkins" })).toBe("system");
    expect(ruleFor("~/passwd", { home: "/etc" })).toBe("system");
    expect(ruleFor("/etc/passwd", { home: "/" })).toBe("system");
    expect(ruleFor("~/.ssh/x", { home: "/", cwd: "/" })).toBe("home.secret");
  });

  test("guards homes also when nobody knows the user's", () => {
    expect(ruleFor("/home/u/.ssh/x", { home: undefined })).toBe("home.secret");
    expect(ruleFor("../.bashrc", { home: undefined })).toBe("home.startup");
    expect(ruleFor("~/x", { home: undefined })).toBe("syntax.tilde");
  });

  test("guards buddy's own directories where they are", () => {
    const ownPaths = ["/data/conf/buddy"];
    expect(ruleFor("/data/conf/buddy/buddy.conf", { ownPaths })).toBe("own");
    expect(ruleFor("/data/conf/buddy2/x", { ownPaths })).toBe("allowed");
  });

  test.each([
    ["/etc/myapp", "/etc/myapp/a.conf", "allowed"],
    ["/etc/myapp/", "/etc/myapp/a.conf", "allowed"],
    ["/etc", "/etc/passwd", "allowed"],
    ["/etc/myapp", "/etc/passwd", "system"],
    ["/", "/tmp/x", "allowed"],
    ["/", "/etc/passwd", "system"],
    ["~", "~/.bashrc", "home.startup"],
    ["~/.bashrc", "~/.bashrc", "allowed"],
    ["~/.ssh", "~/.ssh/config", "allowed"],
    ["~/.ssh/config", "~/.ssh/config", "allowed"],
    ["~/.ssh/config", "~/.ssh/id_rsa", "home.secret"],
    [".", "x", "allowed"],
    [".", ".git/config", "git"],
    [".git", ".git/config", "allowed"],
    [".git/config", ".git/config", "allowed"],
    [".git/config", ".git/hooks/x", "git"],
    ["/usr/src/p", "/usr/src/p/x", "allowed"],
    ["/usr/src/p", "/usr/src/p/.git/config", "git"],
    ["/home/u/proj/src", "x", "allowed_paths"],
    ["/home/u/proj/src", "src/x", "allowed"],
    ["/home/u/proj/SRC", "src/x", "allowed_paths"],
    ["buddy.toml", "buddy.toml", "allowed"],
  ])("with %j in the list: %j is %s", (root, path, rule) => {
    expect(ruleFor(path, { allowedPaths: [root] })).toBe(rule);
  });
});

describe("judgePath() on Windows", () => {
  const windows = { home: "C:\\Users\\u", cwd: "C:\\Users\\u\\proj" };
  test.each([
    ["C:\\Windows\\System32\\x", "system"],
    ["c:/windows/x", "system"],
    ["D:\\Program Files\\x", "system"],
    ["C:\\Program Files (x86)\\y", "system"],
    ["C:\\ProgramData\\x", "system"],
    ["C:\\Users\\u\\.ssh\\config", "home.secret"],
    ["..\\.ssh\\config", "home.secret"],
    ["~\\.gitconfig", "home.startup"],
    ["C:\\Users\\u\\AppData\\Roaming\\buddy\\auth.json", "own"],
    [
      "C:\\Users\\u\\AppData\\Roaming\\Microsoft\\Windows\\Start Menu\\Programs\\Startup\\x.bat",
      "home.startup",
    ],
    [".git\\config", "git"],
    ["\\\\?\\C:\\x", "syntax.unc"],
    ["\\\\host\\share\\x", "syntax.unc"],
    ["src\\a.ts", "allowed"],
    ["src/a.ts", "allowed"],
    ["C:\\work\\x", "allowed"],
  ])("%j: %s", (path, rule) => {
    expect(ruleFor(path, windows)).toBe(rule);
  });
});

describe("judgePath() for reading", () => {
  const reads = (path: string, rules: Partial<PathRules> = {}) =>
    ruleFor(path, { ...rules, operation: "read" });

  test.each([
    ["~/.config/buddy/auth.json", "own.login"],
    ["~/.config/buddy/AUTH.json", "own.login"],
    ["~/.config/buddy/auth.json.12-ab.tmp", "own.login"],
    ["~/.ssh/id_ed25519", "private_key"],
    ["~/.ssh/id_work", "private_key"],
    ["~/.ssh/deploy_key", "private_key"],
    ["~/.ssh/aws.pem", "private_key"],
    ["/home/other/.ssh/id_rsa", "private_key"],
    ["backup/id_rsa", "private_key"],
    ["/etc/ssh/ssh_host_ed25519_key", "private_key"],
    ["~/.gnupg/private-keys-v1.d/A.key", "private_key"],
    ["/proc/self/environ", "process"],
    ["/proc/1/task/1/environ", "process"],
    ["/proc/self/mem", "process"],
    ["file:///etc/passwd", "syntax.url"],
    ["~root/x", "syntax.tilde"],
  ])("refuses %j by %s", (path, rule) => {
    expect(reads(path)).toBe(rule);
  });

  test.each([
    "/etc/os-release",
    "/usr/include/stdio.h",
    "/proc/cpuinfo",
    "/proc/self/status",
    "~/.bashrc",
    "~/.ssh/config",
    "~/.ssh/id_ed25519.pub",
    "~/.ssh/known_hosts",
    "~/.config/buddy/buddy.toml",
    "auth.json",
    ".git/config",
    "a\u200bb",
    "a\nb",
    "certs/server.pem",
  ])("allows %j", (path) => {
    expect(reads(path)).toBe("allowed");
  });

  test("is not narrowed by the list of paths that may be written, and logins are never opened by it", () => {
    expect(reads("/tmp/x", { allowedPaths: ["/home/u/proj"] })).toBe("allowed");
    expect(reads("~/.ssh/id_rsa", { allowedPaths: ["~/.ssh/id_rsa"] })).toBe("allowed");
    expect(reads("~/.config/buddy/auth.json", { allowedPaths: ["~/.config/buddy/auth.json"] })).toBe(
      "own.login",
    );
  });
});

describe("judgePath()", () => {
  const name = fc.constantFrom("a", "..", ".", "", "etc", ".ssh", ".git", "home", "u", "proj", "x y", "é");
  const path = fc
    .tuple(fc.constantFrom("", "/", "~/", "./"), fc.array(name, { maxLength: 8 }))
    .map(([start, names]) => `${start}${names.join("/")}`);

  test("never allows a write outside of the list, however the path is spelled", () => {
    fc.assert(
      fc.property(path, (given) => {
        const verdict = judgePath(given, { ...PLACE, allowedPaths: ["/home/u/proj/a"] });
        if (verdict.type === "allowed") expect(`${verdict.path}/`).toStartWith("/home/u/proj/a/");
      }),
      { numRuns: 2000 },
    );
  });

  test("says the same of a path and of the absolute path it means", () => {
    fc.assert(
      fc.property(path, (given) => {
        const verdict = judgePath(given, PLACE);
        if (verdict.type === "allowed") expect(judgePath(verdict.path, PLACE)).toEqual(verdict);
        else if (!verdict.rule.startsWith("syntax")) expect(judgePath(verdict.path, PLACE)).toEqual(verdict);
      }),
      { numRuns: 2000 },
    );
  });

  test("allows nothing in a guarded directory, however deep", () => {
    const inside = fc.array(fc.constantFrom("a", "b.c", ".d"), { minLength: 1, maxLength: 6 });
    const guarded = fc.constantFrom(
      "/etc",
      "~/.ssh",
      ".git/hooks",
      "/usr/lib",
      "~/.config/systemd",
      "x/.husky",
    );
    fc.assert(
      fc.property(guarded, inside, (place, names) => {
        expect(ruleFor(`${place}/${names.join("/")}`)).not.toBe("allowed");
      }),
    );
  });

  test("takes little time for the longest path", () => {
    const startedMs = performance.now();
    judgePath("d/".repeat(2000).concat("x"), PLACE);
    expect(performance.now() - startedMs).toBeLessThan(500);
  });
});
