import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { configFor, newEndpoint, newPlace } from "../cmd/run-buddy.ts";
import { says } from "../fakes/endpoint.ts";
import { lastMessages } from "./open-repl.ts";
import { openPty } from "./pty.ts";

setDefaultTimeout(30_000);

describe.concurrent("what a terminal sends", () => {
  test.each([
    ["kitty's protocol", "\u001b[13;2u"],
    ["xterm's modified keys", "\u001b[27;2;13~"],
  ])("Shift+Enter by %s is a new line", async (_name, key) => {
    await using endpoint = newEndpoint([says("understood")]);
    using place = newPlace(configFor(endpoint.url));
    await using pty = openPty(place);
    await pty.sees("/help lists");
    pty.write(`one${key}two\r`);
    await pty.sees("understood");
    expect(lastMessages(endpoint)).toContain("one\\ntwo");
  });

  test("a light background makes the colours dark", async () => {
    await using endpoint = newEndpoint([]);
    using place = newPlace(configFor(endpoint.url));
    await using pty = openPty(place, undefined, { COLORTERM: "truecolor" });
    await pty.sees("\u001b]11;?\u0007");
    pty.write("\u001b]11;rgb:ffff/ffff/ffff\u0007");
    await pty.sees("\u001b[38;2;17;99;41;1mbuddy");
    expect(pty.output()).not.toContain("\u001b[32;1m");
  });

  test("answers of the terminal are no text", async () => {
    await using endpoint = newEndpoint([says("understood")]);
    using place = newPlace(configFor(endpoint.url));
    await using pty = openPty(place);
    await pty.sees("/help lists");
    pty.write(
      "\u001b[?1u\u001b[?62;4c\u001b]11;rgb:0000/0000/0000\u001b\\\u001b[I\u001b[O\u001bP1$r0m\u001b\\",
    );
    pty.write("hi\r");
    await pty.sees("understood");
    expect(lastMessages(endpoint)).toContain('"hi"');
  });

  test("a bell calls somebody who looks elsewhere", async () => {
    await using endpoint = newEndpoint([says("first"), says("second")]);
    using place = newPlace(configFor(endpoint.url));
    await using pty = openPty(place);
    await pty.sees("/help lists");
    pty.write("\u001b[I");
    pty.write("hi\r");
    await pty.sees("first");
    const before = pty.output();
    pty.write("\u001b[O");
    pty.write("again\r");
    await pty.sees("\u0007");
    expect(before.replaceAll(/\u001b\][^\u0007]*\u0007/g, "")).not.toContain("\u0007");
  });
});
