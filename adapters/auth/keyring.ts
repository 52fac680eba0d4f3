import { err, ok, type Result } from "../../core/result.ts";
import { errnoOf, reasonOf } from "../host/errno.ts";

/** An entry of the OS keyring, service "buddy"; undefined when there is none. */
export async function keyringEntry(name: string): Promise<Result<string | undefined, string>> {
  try {
    return ok((await Bun.secrets.get({ service: "buddy", name })) ?? undefined);
  } catch (error) {
    const absent = errnoOf(error) === "ERR_SECRETS_PLATFORM_ERROR";
    return err(absent ? "this machine has no keyring that can be used" : reasonOf(error));
  }
}
