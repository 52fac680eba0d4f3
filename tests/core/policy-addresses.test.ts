import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { judgeAddress } from "../../core/policy/addresses.ts";

const v4 = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));
const hexPair = (a: number, b: number): string => ((a << 8) | b).toString(16);

describe("judgeAddress()", () => {
  test.each([
    ["0.0.0.0", "0.255.255.255", "10.0.0.0", "100.64.0.0", "100.127.255.255", "127.0.0.0", "127.255.255.255"],
    [
      "169.254.0.0",
      "169.254.169.254",
      "172.16.0.0",
      "172.31.255.255",
      "192.0.0.1",
      "192.0.2.1",
      "192.88.99.1",
    ],
    [
      "192.168.0.0",
      "198.18.0.0",
      "198.19.255.255",
      "198.51.100.1",
      "203.0.113.1",
      "224.0.0.1",
      "255.255.255.255",
    ],
    ["168.63.129.16", "192.0.0.192", "100.100.100.200", "240.0.0.1"],
    ["::", "::1", "fe80::1", "fe80::1%eth0", "febf::1", "fec0::1", "fc00::1", "fd00:ec2::254", "ff02::1"],
    ["100::1", "2001:db8::1", "3fff::1", "2001::1", "2001:10::1", "2002::1", "5f00::1", "4000::1", "e000::1"],
    [
      "::7f00:1",
      "::ffff:0:7f00:1",
      "64:ff9b::a00:1",
      "64:ff9b:1::808:808",
      "2002:7f00:1::",
      "2001:0:808:808::",
    ],
  ])("judgeAddress() blocks %s and the others of its row", (...addresses: readonly unknown[]) => {
    for (const address of addresses.map(String))
      expect([address, judgeAddress(address).type]).toEqual([address, "blocked"]);
  });

  test.each([
    ["1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0"],
    [
      "169.253.255.255",
      "169.255.0.0",
      "172.15.255.255",
      "172.32.0.0",
      "192.167.255.255",
      "192.169.0.0",
      "223.255.255.255",
    ],
    ["2606:4700:4700::1111", "2a00:1450::1", "2001:4860:4860::8888", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8"],
  ])("judgeAddress() passes %s and the others of its row", (...addresses: readonly unknown[]) => {
    for (const address of addresses.map(String))
      expect([address, judgeAddress(address).type]).toEqual([address, "public"]);
  });

  test.each([
    "",
    "localhost",
    "127.1",
    "0x7f.0.0.1",
    "2130706433",
    "010.0.0.1",
    "8.8.8.8 ",
    "8.8.8.8:80",
    "[::1]",
    "1.2.3.4.5",
  ])("judgeAddress() blocks %j: not an address", (text) => {
    expect(judgeAddress(text)).toEqual({ type: "blocked", why: "no address at all" });
  });

  test("judgeAddress() passes an embedded IPv4 address only where that itself passes", () => {
    fc.assert(
      fc.property(v4, ([a, b, c, d]) => {
        const plain = judgeAddress([a, b, c, d].join(".")).type;
        const [high, low] = [hexPair(a, b), hexPair(c, d)];
        expect(judgeAddress(`::ffff:${high}:${low}`).type).toBe(plain);
        expect(judgeAddress(`64:ff9b::${high}:${low}`).type).toBe(plain);
        for (const form of [
          `::${high}:${low}`,
          `::ffff:0:${high}:${low}`,
          `2002:${high}:${low}::1`,
          `2001:0:${high}:${low}::`,
        ]) {
          expect(judgeAddress(form).type).toBe("blocked");
        }
      }),
    );
  });

  test("judgeAddress() says what an address is", () => {
    expect(
      ["127.0.0.1", "::ffff:10.0.0.1", "fd00::1", "100.70.0.1"].map((address) => judgeAddress(address)),
    ).toEqual([
      { type: "blocked", why: "a loopback address" },
      { type: "blocked", why: "an IPv4-mapped form for 10.0.0.1, a private address" },
      { type: "blocked", why: "a private address" },
      { type: "blocked", why: "an address inside a carrier's network" },
    ]);
  });
});
