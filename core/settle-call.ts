import type { FileAccess } from "./locate-file.ts";
import { type PreparedCall, type Settled, toolCrashed } from "./tool.ts";

/** The call that is judged and run, once the target was looked at. A tool's own crash fails its call, never the task. */
export async function settleCall(
  call: PreparedCall,
  access: FileAccess,
  signal: AbortSignal,
): Promise<Settled> {
  if (call.settle === undefined) return { type: "ready", call };
  signal.throwIfAborted();
  try {
    return await call.settle(access, signal);
  } catch (error) {
    signal.throwIfAborted();
    return { type: "failed", message: toolCrashed(error) };
  }
}
