import type { Failure } from "../../core/failure.ts";
import { failure } from "../../core/failure.ts";
import { isFields, listAt, textAt } from "../../core/lenient.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { diagnoseConnection, diagnoseStatus, type Where } from "./diagnose.ts";
import type { Credential, Protocol } from "./protocol.ts";
import { readBounded } from "./read-bounded.ts";

const MAX_BYTES = 8 * 1024 * 1024;

export type ListRequest = {
  readonly protocol: Protocol;
  readonly credential: Credential;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly proxy: string;
  readonly ca: string | undefined;
  readonly where: Where;
};

/** The names of the models that an endpoint offers. */
export async function listModels(
  request: ListRequest,
  signal: AbortSignal,
): Promise<Result<readonly string[], Failure>> {
  const { protocol, where } = request;
  const path = protocol.name === "anthropic" ? "/v1/models?limit=1000" : "/models";
  try {
    const response = await fetch(where.address + path, {
      headers: { ...protocol.headers(request.credential), ...request.headers },
      redirect: "manual",
      ...(request.proxy === "" ? {} : { proxy: request.proxy }),
      ...(request.ca === undefined ? {} : { tls: { ca: request.ca } }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(request.timeoutMs)]),
    });
    const { text } = await readBounded(response, MAX_BYTES);
    if (response.status !== 200) return err(diagnoseStatus(response, text, where).failure);
    return namesIn(text, where);
  } catch (error) {
    signal.throwIfAborted();
    return err(diagnoseConnection(error, where.address).failure);
  }
}

function namesIn(text: string, { address }: Where): Result<readonly string[], Failure> {
  try {
    const body: unknown = JSON.parse(text);
    const list = isFields(body) ? [...listAt(body, "data"), ...listAt(body, "models")] : [];
    const names = list.filter(isFields).map((model) => textAt(model, "id") || textAt(model, "name"));
    return ok(names.filter((name) => name !== "").sort());
  } catch {
    return err(failure("model", `${address} answered with something that is no list of models`));
  }
}
