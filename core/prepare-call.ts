import type { ToolCall } from "./message.ts";
import type { FinishReason } from "./ports/model.ts";
import { err, ok, type Result } from "./result.ts";
import { parseStrictJson } from "./strict-json.ts";
import type { PreparedCall, Tool, Toolset } from "./tool.ts";

const MAX_CALLS = 64;

/** From what the model wrote to a call that can run, or why not in words the model can act on. */
export async function prepareCall(
  tools: Toolset,
  call: ToolCall,
  place: { readonly index: number; readonly finish: FinishReason },
): Promise<Result<PreparedCall & { readonly parallel: boolean }, string>> {
  if (place.finish === "length" || place.finish === "error" || place.finish === "content_filter") {
    return err("Not run: the response was cut off before it was complete. Ask again, with less at once");
  }
  if (place.index >= MAX_CALLS)
    return err(`Not run: at most ${MAX_CALLS} calls are run in one turn. Ask again`);
  const tool = await tools.get(call.name);
  if (tool === undefined) {
    const names = tools.specs.map((spec) => spec.name).join(", ") || "none";
    return err(`Unknown tool ${JSON.stringify(call.name)}. The tools are: ${names}`);
  }
  const args = parseArguments(call.arguments, tool.content ?? []);
  if (!args.ok) return err(`Arguments of ${call.name}: ${args.error}`);
  const prepared = tool.prepare(args.value);
  if (!prepared.ok) return err(`Arguments of ${call.name}: ${prepared.error}. ${fieldsOf(tool)}`);
  return ok({ ...prepared.value, parallel: tool.parallel });
}

function fieldsOf({ spec }: Tool): string {
  const names = Object.keys(Object(spec.parameters.properties));
  return names.length > 0 ? `The fields are: ${names.join(", ")}` : "It takes no fields";
}

function parseArguments(raw: string, content: readonly string[]): Result<object, string> {
  const parsed = parseStrictJson(raw.trim() === "" ? "{}" : raw);
  if (!parsed.ok) return parsed;
  const { value } = parsed;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return err("not an object: send one JSON object with the fields of the schema");
  }
  const where = controlCharacterIn(value, "", content);
  if (where !== undefined) return err(`${where} (only newline and tab are allowed)`);
  return ok(value);
}

/**
 * What is approved must be what is seen: no invisible control characters in the arguments. What a file is to hold may
 * have them, NUL excepted.
 */
function controlCharacterIn(value: unknown, path: string, content: readonly string[]): string | undefined {
  if (typeof value === "string") {
    const isContent = content.includes(path.split(".")[0] ?? "");
    const found = (isContent ? /\u0000/ : /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/).exec(value);
    if (!found) return undefined;
    const code = found[0].charCodeAt(0);
    return code === 0 ? `NUL in ${path}` : `control character 0x${code.toString(16)} in ${path}`;
  }
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const found =
      controlCharacterIn(key, "a key", []) ??
      controlCharacterIn(inner, path === "" ? key : `${path}.${key}`, content);
    if (found !== undefined) return found;
  }
  return undefined;
}
