import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { judgeUrl, type UrlRules } from "../../core/policy/urls.ts";

const OPEN: UrlRules = { allowedDomains: undefined, blockedDomains: [] };
const only = (...allowedDomains: readonly string[]): UrlRules => ({ allowedDomains, blockedDomains: [] });

/** The rule that denies, or "allowed". */
const ruleFor = (url: string, rules: UrlRules = OPEN): string => {
  const verdict = judgeUrl(url, rules);
  return verdict.type === "denied" ? verdict.rule : "allowed";
};

describe("judgeUrl()", () => {
  test("judgeUrl() gives the one spelling to use, and what to resolve", () => {
    expect(judgeUrl("HTTPS://Docs.Example.COM.:443/a/../b?q=1#top", OPEN)).toEqual({
      type: "allowed",
      url: "https://docs.example.com/b?q=1",
      host: "docs.example.com",
      port: 443,
      addresses: "public",
    });
    expect(judgeUrl("http://[2606:4700:4700::1111]:8080", OPEN)).toMatchObject({
      host: "2606:4700:4700::1111",
      port: 8080,
    });
    expect(judgeUrl("https://bücher.example/", OPEN)).toMatchObject({ host: "xn--bcher-kva.example" });
  });

  test.each([
    ["http:///etc/passwd", "syntax"],
    ["http:example.com", "syntax"],
    ["http:/example.com", "syntax"],
    ["https://", "syntax"],
    ["https://?q", "syntax"],
    ["https://a..b/", "syntax"],
    ["https://.example.com/", "syntax"],
    ["https://example.com../", "syntax"],
    ["https://example.com:99999/", "syntax"],
    ["https://example.com/a b", "syntax"],
    ["https://example.com/a\nb", "syntax"],
    ["https://example.com/\u0085", "syntax"],
    ["https://example.com\u00a0/", "syntax"],
    ["https:\\\\example.com", "syntax"],
    [`https://example.com/${"x".repeat(9000)}`, "syntax"],
    [`https://${"x.".repeat(140)}com/`, "syntax"],
    ["https://[fe80::1%25eth0]/", "syntax"],
    ["https://xn--127-0-0-1/", "syntax"],
    ["http://exam\u200dple.com/", "syntax"],
    ["http://exámple\u2024com/", "syntax"],
    ["example.com", "scheme"],
    ["//example.com/", "scheme"],
    ["view-source:https://example.com", "scheme"],
    ["blob:https://example.com/x", "scheme"],
    ["https+unix://sock/", "scheme"],
    ["https://@example.com/", "credentials"],
    ["https://a@b@example.com/", "credentials"],
    ["https://:pw@example.com/", "credentials"],
  ])("judgeUrl() refuses %j: %s", (url, rule) => {
    expect(ruleFor(url)).toBe(rule);
  });

  test.each([
    "http://localhost",
    "http://localhost.",
    "http://a.b.LocalHost:8080/",
    "http://localhost4/",
    "http://ip6-localhost/",
    "http://metadata/computeMetadata/v1/",
    "http://metadata.google.internal/",
    "http://METADATA.GOOGLE.INTERNAL./",
    "http://metadata.goog/",
    "http://instance-data/latest",
    "http://router.lan/",
    "http://nas.home.arpa/",
    "http://kubernetes.default.svc/",
    "http://x.svc.cluster.local/",
    "http://host.docker.internal/",
    "http://git.corp/",
  ])("judgeUrl() refuses the local name in %s", (url) => {
    expect(ruleFor(url)).toBe("private_name");
  });

  test.each([
    "http://0/",
    "http://0x/",
    "http://127.1:80/",
    "http://127.000.000.001/",
    "http://0x7F.0X0.0.1/",
    "http://017700000001/",
    "http://8.8.2056/",
    "http://0x08080808/",
    "http://8.8.8.8./",
    "http://８.8.8.8/",
    "http://8。8。8。8/",
    "http://8｡8.8.8/",
    "http://%38.8.8.8/",
    "http://ex%61mple.com/",
    "http://ｅxample.com/",
    "http://ex\u00adample.com/",
    "http://[::ffff:8.8.8.8]/",
    "http://[::8.8.8.8]/",
    "http://[64:ff9b::808:808]/",
    "http://⑧.8.8.8/",
    "http://example。com/",
  ])("judgeUrl() refuses the spelling of %s, though it would lead to a public place", (url) => {
    expect(ruleFor(url)).toBe("spelling");
  });

  test.each([
    "https://127.0.0.1.example.com/",
    "https://localhost.example.com/",
    "https://notlocalhost.com/",
    "https://example.com/?next=http://127.0.0.1/",
    "https://example.com/@127.0.0.1",
    "https://example.com/a%20b%5c?x=%00",
    "https://xn--bcher-kva.example/",
    "https://пример.example/",
    "https://straße.example/",
    "https://例え.example/",
    "https://a_b.example.com/",
    "https://example.com:8443",
    "https://1.1.1.1/dns-query",
    "https://[2606:4700:4700:0:0:0:0:1111]/",
    "https://local.example/",
    "https://internal.example.org/",
  ])("judgeUrl() allows %s", (url) => {
    expect(ruleFor(url)).toBe("allowed");
  });

  test("judgeUrl() says what is wrong and where", () => {
    const reasonFor = (url: string, rules = OPEN) => {
      const verdict = judgeUrl(url, rules);
      return verdict.type === "denied" ? verdict.reason : "";
    };
    expect([
      reasonFor("http://10.0.0.1/"),
      reasonFor("http://2130706433/"),
      reasonFor("http://db.internal/"),
      reasonFor("http://example.com:25/"),
      reasonFor("https://other.example/", only("docs.example")),
      reasonFor("https://bad.example/", { ...OPEN, blockedDomains: ["bad.example"] }),
    ]).toEqual([
      'Cannot fetch "http://10.0.0.1/": 10.0.0.1 is a private address',
      'Cannot fetch "http://2130706433/": its host is another spelling of 127.0.0.1',
      'Cannot fetch "http://db.internal/": db.internal is a name of this machine or its network',
      'Cannot fetch "http://example.com:25/": port 25 belongs to another protocol',
      'Cannot fetch "https://other.example/": other.example is not in tools.fetch_allowed_domains',
      'Cannot fetch "https://bad.example/": bad.example is in tools.fetch_blocked_domains',
    ]);
  });

  test("judgeUrl() never allows an IPv4 address in any other spelling than its own", () => {
    const part = fc.constantFrom("dec", "hex", "oct", "padded");
    const spelled = (byte: number, how: string): string =>
      how === "dec"
        ? `${byte}`
        : how === "hex"
          ? `0x${byte.toString(16)}`
          : how === "oct"
            ? `0${byte.toString(8)}`
            : `000${byte.toString(8)}`;
    fc.assert(
      fc.property(
        fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255)),
        fc.tuple(part, part, part, part),
        fc.constantFrom("", "."),
        (bytes, how, dot) => {
          const host = bytes.map((byte, index) => spelled(byte, how[index] ?? "dec")).join(".") + dot;
          const rule = ruleFor(`http://${host}/`);
          expect(
            host === bytes.join(".") ? ["allowed", "private_address"] : ["spelling", "syntax"],
          ).toContain(rule);
        },
      ),
    );
  });

  test("judgeUrl() reads its own spelling again the same way", () => {
    fc.assert(
      fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), (url) => {
        const verdict = judgeUrl(url, OPEN);
        if (verdict.type === "allowed") expect(judgeUrl(verdict.url, OPEN)).toEqual(verdict);
      }),
    );
  });
});

describe("the lists of judgeUrl()", () => {
  test("an allow-list leaves nothing else, and lets its hosts be private", () => {
    const rules = only("127.0.0.1", "*.example.com", "box.lan:8080", "::1", "https://pasted.example/x");
    const verdicts = [
      "http://127.0.0.1:8000/",
      "http://a.b.example.com/",
      "http://box.lan:8080/",
      "http://[::1]:3000/",
      "http://pasted.example/",
      "http://example.com/",
      "http://notexample.com/",
      "http://box.lan/",
      "http://127.0.0.2/",
      "http://2130706433/",
      "http://[::ffff:127.0.0.1]/",
      "https://public.example/",
    ].map((url) => ruleFor(url, rules));
    expect(verdicts).toEqual([
      ...["allowed", "allowed", "allowed", "allowed", "allowed"],
      ...["not_allowed_domain", "not_allowed_domain", "private_name", "private_address"],
      ...["spelling", "spelling", "not_allowed_domain"],
    ]);
    expect(judgeUrl("http://127.0.0.1/", rules)).toMatchObject({ addresses: "any" });
  });

  test("an empty allow-list allows nothing, and odd entries match nothing", () => {
    expect(
      [[], [""], ["*"], ["*."], [":80"], ["."]].map((list) => ruleFor("https://example.com/", only(...list))),
    ).toEqual(Array(6).fill("not_allowed_domain"));
  });

  test("a block-list holds for what is below, in any spelling, and wins over the allow-list", () => {
    const rules = {
      allowedDomains: ["*.bad.example", "bad.example"],
      blockedDomains: ["Bad.Example.", "bücher.example"],
    };
    for (const url of [
      "http://bad.example",
      "http://BAD.example./",
      "https://a.bad.example:8443/",
      "http://xn--bcher-kva.example",
    ]) {
      expect(ruleFor(url, rules)).toBe("blocked_domain");
    }
    expect(ruleFor("https://notbad.example/", { ...rules, allowedDomains: undefined })).toBe("allowed");
  });

  test("a port of another protocol needs an entry that names it", () => {
    expect(
      ["http://x.example:22/", "http://x.example:6379/"].map((url) => ruleFor(url, only("x.example"))),
    ).toEqual(["port", "port"]);
    expect(ruleFor("http://x.example:6379/", only("x.example", "x.example:6379"))).toBe("allowed");
  });

  test("the search endpoint may be private, with any query but on no other path or port", () => {
    const rules = { ...OPEN, searchEndpoint: "http://127.0.0.1:8888/search" };
    const urls = ["search?q=a", "search?q=b&x=1", "search", "search/", "admin", "search/../admin"];
    expect(urls.map((rest) => ruleFor(`http://127.0.0.1:8888/${rest}`, rules))).toEqual([
      ...["allowed", "allowed", "allowed"],
      ...["private_address", "private_address", "private_address"],
    ]);
    expect(ruleFor("http://127.0.0.1:8889/search", rules)).toBe("private_address");
    expect(ruleFor("http://127.0.0.1:8888/search", { ...rules, allowedDomains: [] })).toBe("allowed");
    expect(ruleFor("http://127.0.0.1:8888/search", { ...rules, blockedDomains: ["127.0.0.1"] })).toBe(
      "blocked_domain",
    );
  });
});
