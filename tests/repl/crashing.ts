// The REPL on the real terminal of this process, with a part that fails once it is drawn.
import { outputTo } from "../../adapters/host/output.ts";
import { repl } from "../../adapters/terminal/app.ts";
import { historyFile } from "../../adapters/terminal/history-file.ts";
import { keysFrom } from "../../adapters/terminal/keys.ts";
import { processTty } from "../../adapters/terminal/tty.ts";
import { fakeHost } from "../fakes/host.ts";
import { fakeReplHost } from "./fake-repl-host.ts";

const tty = processTty(outputTo(1), process.env);
const front = repl({
  tty,
  settings: {
    choices: { reasoning: true, expanded: false, tokens: false, toolCalls: true },
    depth: "16",
    markdown: true,
    notify: "off",
    theme: "dark",
    themesDir: undefined,
    keys: keysFrom(undefined),
    env: process.env,
    policy: "",
  },
  history: historyFile(fakeHost(), undefined, (text) => text),
});
const host = {
  ...fakeReplHost(),
  thinking: (): string => {
    throw new Error("a component fails");
  },
};
try {
  await front.run({ send: () => {}, host, first: undefined });
} catch (error) {
  console.error(String(error));
  process.exit(1);
}
