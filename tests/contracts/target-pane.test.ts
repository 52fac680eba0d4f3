import { openShared, SHELLS } from "../adapters/tmux/open-pane.ts";
import { tmuxServer } from "../fakes/tmux-server.ts";
import { withPrograms } from "../rigs/programs.ts";
import { targetContract } from "./target.contract.ts";

for (const shell of SHELLS.filter((name) => name !== "zsh")) {
  withPrograms(`local tmux, ${shell}`, ["tmux", shell], () => {
    targetContract(
      `local tmux, ${shell}`,
      async ({ cwd, env }) => {
        const server = tmuxServer(Bun.which(shell) ?? shell);
        const shared = await openShared(shell, { server, cwd, env });
        return {
          ...shared.target,
          close: async () => {
            await shared.target.close();
            server[Symbol.dispose]();
          },
        };
      },
      { place: "here", shell: "pane" },
    );
  });
}
