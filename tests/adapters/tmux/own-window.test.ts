import { describe, expect, test } from "bun:test";
import { windowOf } from "../../../adapters/target/tmux/own-pane.ts";
import { noTmux, tmuxServer } from "../../fakes/tmux-server.ts";

if (noTmux) console.log(`The panes beside buddy are not tested: ${noTmux}`);

const never = (): AbortSignal => new AbortController().signal;
const SCREEN = {
  start: undefined,
  end: undefined,
  joinWrapped: false,
  trailingSpaces: false,
  escapes: false,
  alternate: false,
};

describe.skipIf(noTmux !== undefined)("the panes beside buddy's own", () => {
  test("are seen and typed into; its own and those of other windows are not", async () => {
    using server = tmuxServer();
    server.tmux("new-session", "-d", "-s", "mine", "cat");
    server.tmux("split-window", "-t", "mine", "cat");
    server.tmux("new-window", "-t", "mine", "cat");
    const panes = windowOf(server.tmux("display-message", "-p", "#{socket_path}").trim(), "%0");
    const text = "it's; #{pane_id} $HOME;";
    expect(await panes.sendKeys({ place: {}, keys: [], text, enter: true }, never())).toEqual({
      ok: true,
      value: "%1",
    });
    for (let screen = ""; !screen.includes(`${text}\n${text}`); ) {
      const seen = await panes.capture({ place: {}, ...SCREEN }, never());
      screen = seen.ok ? seen.value.text : seen.error;
      await Bun.sleep(5);
    }
    for (const pane of ["%0", "%2"]) {
      expect(await panes.capture({ place: { pane }, ...SCREEN }, never())).toMatchObject({
        ok: false,
        error: expect.stringContaining("%1"),
      });
    }
    expect(await panes.capture({ place: {}, ...SCREEN, alternate: true }, never())).toMatchObject({
      value: { pane: "%1", noAlternate: true },
    });
  });
});
