import { hostOf } from "../../core/vendors.ts";
import { after } from "../host/timer.ts";

export type ConnectWatch = { readonly signal: AbortSignal; readonly stop: () => void };

/**
 * fetch does not tell connecting from waiting for an answer, and a model may think for a minute before its first
 * byte. So when nothing has come after the time-out, a second connection is tried: if that does not come about
 * either, nobody is there.
 */
export function connectWatch(place: {
  readonly url: string;
  readonly proxy: string;
  readonly connectTimeoutMs: number;
}): ConnectWatch {
  const controller = new AbortController();
  const probe = async () => {
    const reached = await canConnect(place.proxy || place.url, place.connectTimeoutMs, controller.signal);
    if (!reached) controller.abort(new Error("no connection"));
  };
  const stop = after(place.connectTimeoutMs, () => void probe());
  return { signal: controller.signal, stop };
}

async function canConnect(url: string, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
  const hostname = hostOf(url).replace(/^\[|\]$/g, "");
  const port = Number(new URL(url).port || (url.startsWith("https:") ? 443 : 80));
  const late = Bun.sleep(Math.min(timeoutMs, 2000)).then(() => false);
  const connected = Bun.connect({
    hostname,
    port,
    socket: { open: (socket) => void socket.end(), data: () => {}, error: () => {} },
  }).then(
    () => true,
    () => false,
  );
  return signal.aborted || (await Promise.race([connected, late]));
}
