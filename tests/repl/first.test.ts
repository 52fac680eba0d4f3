import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { configFor, newEndpoint, newPlace } from "../cmd/run-buddy.ts";
import { says } from "../fakes/endpoint.ts";
import { noTmux, openTerminal } from "./terminal.ts";

setDefaultTimeout(30_000);

if (noTmux) console.log(`The REPL is not tested in a terminal: ${noTmux}`);

/** Runs buddy between two looks at the terminal's settings. */
const BETWEEN_STTY = 'stty -a; "$BUDDY" --no-tmux; echo "code $?"; stty -a; cat';

describe.skipIf(noTmux !== undefined)("buddy on a terminal", () => {
  test("has a header, a prompt, a streamed answer, and gives the terminal back", async () => {
    await using endpoint = newEndpoint([says("Hello **you**.", 5)]);
    using place = newPlace(configFor(endpoint.url));
    await using terminal = await openTerminal(place, { shell: BETWEEN_STTY, rows: 40 });
    await terminal.sees(/^> *$/m);
    await terminal.type("hi there");
    await terminal.press("Enter");
    const answered = await terminal.sees(/Hello you\.\n\n>$/m);
    expect(answered).toMatch(/^buddy \d+\.\d+\.\d+ · mock · local$/m);
    expect(answered).toContain("> hi there\n\nHello you.\n\n>\n");
    await terminal.press("C-d");
    const left = await terminal.sees(/code 0[\s\S]*extproc/);
    const [before, after] = left.split(/^buddy \d[\s\S]*code 0\n/m);
    expect(after).toBe(before?.trimEnd());
    // Cursor, bracketed paste, focus reports, wrapping: all as a shell expects them.
    const modes = "#{cursor_flag} #{?bracketed_paste_flag,paste,} #{wrap_flag} #{alternate_on}";
    expect((await terminal.run("display", "-p", "-t", ":0.0", modes)).trim()).toBe("1  1 0");
  });
});
