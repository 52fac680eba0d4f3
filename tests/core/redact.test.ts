import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { redactor } from "../../core/redact.ts";
import { secretValues } from "../../core/secret-values.ts";

const fixture = (path: string) => readFileSync(join(import.meta.dir, "../../fixtures", path), "utf8");

const LIVE = "live-4f9a/2c7e+81d0 b36?";
const redact = redactor([LIVE]);

const rowSchema = v.object({
  id: v.string(),
  kind: v.string(),
  input: v.string(),
  secret: v.nullable(v.string()),
  expected: v.picklist(["redact", "keep"]),
});
const corpus = v.parse(v.array(rowSchema), JSON.parse(fixture("corpus/secrets.json")));

/** A row about a live value has no text of its own: the value stands in for both. */
const rows = corpus.map(({ id, kind, input, secret, expected }) => {
  const live = secret === "<live>";
  return { id, kind, expected, input: live ? `seen: ${LIVE}` : input, secret: live ? LIVE : secret };
});

test.each(rows)("redact() on $id, $kind: $expected", ({ input, secret, expected }) => {
  const redacted = redact(input);
  if (expected === "keep") expect(redacted).toBe(input);
  else expect(redacted).not.toContain(secret ?? input);
  expect(redact(redacted)).toBe(redacted);
});

/** Secrets are marked «so». */
const marked = fixture("redact/masked.txt").trimEnd().split("\n");
const unmarked = marked.map((line) => line.replace(/[«»]/g, ""));
const kept = fixture("redact/kept.txt").trimEnd().split("\n");

describe("redact() masks the secret and nothing else", () => {
  test.each(marked)("%s", (line) => {
    const masked = line.replace(/«[^»]*»/g, "***");
    expect(redact(line.replace(/[«»]/g, ""))).toBe(masked);
    expect(redact(masked)).toBe(masked);
  });
});

describe("redact() keeps what only resembles a secret", () => {
  test.each(kept)("%s", (line) => {
    expect(redact(line)).toBe(line);
  });
});

test("redact() masks a whole file of secrets line by line", () => {
  expect(redact(unmarked.join("\n\n"))).toBe(
    marked.map((line) => line.replace(/«[^»]*»/g, "***")).join("\n\n"),
  );
});

const KEY_LINES = ["MIIEpAIBAAKCAQEA0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz+/=="];
const head = (name: string) => `-----BEGIN ${name}-----`;
const tail = (name: string) => `-----END ${name}-----`;

test.each([
  "PRIVATE KEY",
  "RSA PRIVATE KEY",
  "OPENSSH PRIVATE KEY",
  "ENCRYPTED PRIVATE KEY",
  "PGP PRIVATE KEY BLOCK",
])("redact() masks the body of a %s", (name) => {
  const block = [head(name), "Proc-Type: 4,ENCRYPTED", "", ...KEY_LINES, tail(name)].join("\n");
  const masked = `${head(name)}***${tail(name)}`;
  expect(redact(`a\n${block}\nb`)).toBe(`a\n${masked}\nb`);
  expect(redact(JSON.stringify({ key: block }))).toBe(JSON.stringify({ key: masked }));
  expect(redact(JSON.stringify(JSON.stringify({ key: block })))).toBe(
    JSON.stringify(JSON.stringify({ key: masked })),
  );
});

test("redact() masks the lines of a private key that is cut off or spread over strings", () => {
  const name = "RSA PRIVATE KEY";
  expect(redact([head(name), ...KEY_LINES].join("\n"))).toBe([head(name), "***", "***"].join("\n"));
  const code = (lines: readonly string[]) =>
    [head(name), ...lines].map((line) => `"${line}\\n" +`).join("\n");
  expect(redact(code(KEY_LINES))).toBe(code(["***", "***"]));
});

test("redact() masks a YAML block and a number without breaking the JSON around it", () => {
  expect(redact("password: |\n  hunter2\nuser: me")).toBe("password: |\n  ***\nuser: me");
  expect(redact('{"password":12345678,"port":12345678}')).toBe('{"password":"***","port":12345678}');
  const nested = JSON.stringify({ body: '{"password":12345678}' });
  expect(redact(nested)).toBe(JSON.stringify({ body: '{"password":"***"}' }));
});

describe("redactor() masks a known secret", () => {
  const hard = `pä"ss\\w/ö r+d&<\n>'$1.*`;
  const known = redactor([hard, "plainvalue"]);
  const json = (text: string) => JSON.stringify(text).slice(1, -1);

  test.each([
    ["as it is", hard],
    ["in JSON", json(hard)],
    ["in JSON in JSON", json(json(hard))],
    ["in JSON in JSON in JSON", json(json(json(hard)))],
    ["in JSON of ASCII only", json(hard).replace(/[^ -~]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`)],
    ["in a URL", encodeURIComponent(hard)],
    ["in a URL in lower case", encodeURIComponent(hard).replace(/%../g, (code) => code.toLowerCase())],
    ["in a form", new URLSearchParams({ "": hard }).toString().slice(1)],
    ["in a URL in a URL", encodeURIComponent(encodeURIComponent(hard))],
  ])("%s", (_, written) => {
    expect(known(`<${written}> and ${written}`)).toBe("<***> and ***");
  });

  test.each([0, 1, 2, 3, 4, 5])("in base64 behind %i other bytes", (before) => {
    for (const encoding of ["base64", "base64url"] as const) {
      const encoded = Buffer.from(`${"x".repeat(before)}${hard}yz`).toString(encoding);
      const masked = known(encoded);
      expect(masked).toContain("***");
      expect(masked.length).toBeLessThan(20);
    }
  });

  test("in base64 that was broken into lines", () => {
    const long = "sk_own_".padEnd(120, "aB3xY7");
    const lines = Buffer.from(long).toString("base64").replace(/.{76}/g, "$&\n");
    expect(redactor([long])(lines).length).toBeLessThan(8);
    expect(JSON.parse(redactor([long])(JSON.stringify(lines))).length).toBeLessThan(8);
  });

  test("before another one that it contains, and not when it is too short to be one", () => {
    expect(redactor(["plainvalue", "plainvalue-and-more"])("plainvalue-and-more plainvalue")).toBe("*** ***");
    expect(redactor(["ab", "", "  "])("ab cab")).toBe("ab cab");
  });

  test("whatever quotes or space it was given with", () => {
    expect(redactor(['"plainvalue"\n'])('say "plainvalue"')).toBe('say "***"');
  });
});

test("redactor() writes the mask it is given", () => {
  const seen: string[] = [];
  const mask = (secret: string) => `<secret-${seen.push(secret)}>`;
  const placeholders = redactor(["plainvalue"], { mask });
  const masked = placeholders("PASSWORD=hunter2 and plainvalue");
  expect([masked, seen]).toEqual(["PASSWORD=<secret-2> and <secret-1>", ["plainvalue", "hunter2"]]);
  expect(placeholders(masked)).toBe(masked);
});

test("secretValues() takes the values of secret names, and no paths, numbers or switches", () => {
  const env = {
    OPENAI_API_KEY: "sk-own-key",
    GITHUB_TOKEN: " token-value ",
    my_secret: "s3cr3t-value",
    DB_PASSWORD: "hunter2hunter2",
    MYSQL_PASSWD: "hunter2hunter2",
    AZURE_CREDENTIAL: "credential",
    AWS_SECRET_ACCESS_KEY: "/JalrXUtnFEMIK7MDENG+bPxRfiCYEXAMPLEKEY",
    SHORT_TOKEN: "short",
    EMPTY_KEY: "",
    NO_KEY: undefined,
    SSL_KEY: "/etc/ssl/private/key.pem",
    SSH_KEY: "~/.ssh/id_ed25519",
    WINDOWS_KEY: "C:\\keys\\id_rsa",
    TOKEN_FILE: "token-file.json",
    TOKEN_URL: "https://issuer.test/token",
    KEY_TIMEOUT: "1234567890",
    USE_TOKEN: "disabled",
    KEYBOARD_LAYOUT: "us-international",
    PATH: "/usr/bin:/bin-of-tokens",
    HOME_PAGE: "not-a-secret-name",
  };
  expect(secretValues(env)).toEqual([
    "sk-own-key",
    "token-value",
    "s3cr3t-value",
    "hunter2hunter2",
    "credential",
    "/JalrXUtnFEMIK7MDENG+bPxRfiCYEXAMPLEKEY",
  ]);
});
