import * as v from "valibot";
import { httpModel } from "../../adapters/model/http.ts";
import type { ProtocolName } from "../../adapters/model/protocol.ts";
import { modelFacts } from "../../core/catalogue.ts";
import { defineTool } from "../../core/define-tool.ts";
import type { History } from "../../core/history.ts";
import { taskId } from "../../core/id.ts";
import { runTask } from "../../core/loop.ts";
import type { Message, Part } from "../../core/message.ts";
import type { Model } from "../../core/ports/model.ts";
import { type Tool, toolset } from "../../core/tool.ts";
import { scriptedApprover } from "../fakes/approver.ts";
import { plainLoop } from "../fakes/context.ts";
import type { Endpoint } from "../fakes/endpoint.ts";
import { fakeHost } from "../fakes/host.ts";
import { httpSettings } from "../fakes/http-settings.ts";
import { fakeTarget } from "../fakes/target.ts";
import { echoTool, failTool } from "../fakes/tools.ts";
import { newProtocol } from "./new-protocol.ts";
import { PNG } from "./sdk-clients.ts";

/** The real client for a model that thinks. `host` is another name for the same machine. */
export function modelAt(
  endpoint: Endpoint,
  protocol: ProtocolName,
  { stream = true, host = "127.0.0.1" }: { readonly stream?: boolean; readonly host?: string } = {},
): Model {
  const base = protocol === "anthropic" ? endpoint.root : endpoint.url;
  const settings = httpSettings(base.replace("127.0.0.1", host));
  const facts = { ...modelFacts([], "mock"), reasoning: true, thinking: "budget", output: 64_000 } as const;
  const options = { ...settings.options, stream, facts };
  return httpModel(fakeHost(), newProtocol(protocol), { ...settings, retries: 0, options });
}

/** Lets the model work on one prompt with the real loop. Returns how that ended: the answer, or why there is none. */
export async function prompt(model: Model, history: History, ...content: readonly Part[]): Promise<string> {
  const host = fakeHost();
  const deps = {
    model,
    history,
    host,
    target: fakeTarget(),
    approver: scriptedApprover(host, { type: "all" }).approver,
    tools: toolset([echoTool, failTool, lookTool]),
    limits: { shellTimeoutMs: 1000, shellChars: 4000, textChars: 8000, images: false },
    parallelTools: true,
    system: "be good",
    maxIterations: 50,
    price: null,
    ...plainLoop(),
  };
  const task = { id: taskId(1), message: { role: "user", content } } as const;
  let end = "";
  for await (const event of runTask(deps, task, new AbortController().signal)) {
    if (event.family !== "task") continue;
    if (event.type === "completed") end = event.result;
    if (event.type === "failed") end = `failed: ${event.failure.message}`;
  }
  return end;
}

/** What was said, without what is private to a provider. */
export const transcriptOf = ({ messages }: History): readonly Omit<Message, "extra">[] =>
  messages.map((message) => {
    if (message.role !== "assistant") return message;
    const { extra, ...said } = message;
    return said;
  });

export const image: Part = { type: "image", media_type: "image/png", data: PNG };

/** Answers with an image; safe beside others. */
const lookTool: Tool = defineTool({
  name: "look",
  description: "Looks at a picture",
  schema: v.object({ path: v.string() }),
  parallel: true,
  needs: () => undefined,
  execute: async ({ path }) => ({ result: { path }, images: [image], summary: "seen", isError: false }),
});
