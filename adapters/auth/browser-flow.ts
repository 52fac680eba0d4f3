import { type Failure, failure } from "../../core/failure.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { oneLine } from "../../core/sanitize.ts";
import type { SavedLogin } from "./auth-file.ts";
import { notSignedIn, SIGNED_IN } from "./login-page.ts";
import { newPkce, newState, sameState } from "./pkce.ts";
import type { LoginProvider } from "./providers.ts";
import { listenForRedirect } from "./redirect-listener.ts";
import { type Code, exchangeCode, type IssuerDeps } from "./tokens.ts";

export type BrowserUi = {
  /** Called once, when the listener is ready: print the address and open it. */
  readonly onUrl: (url: string) => void;
  /**
   * Asks for the address that the browser could not open, as on a remote machine. `problem` says why the text before
   * was of no use. Undefined: nothing more will come. Must end when the signal fires.
   */
  readonly askPasted?: (problem: string | undefined, signal: AbortSignal) => Promise<string | undefined>;
};

const LIMIT_MS = 5 * 60 * 1000;

/** Sign-in by authorization code with PKCE. Throws only when aborted. */
export async function browserLogin(
  deps: IssuerDeps,
  ui: BrowserUi,
  signal: AbortSignal,
): Promise<Result<SavedLogin, Failure>> {
  signal.throwIfAborted();
  const opened = listenForRedirect(deps.host, deps.provider.redirectUri);
  if (!opened.ok) {
    const hint = `end the other sign-in, or use: buddy login ${deps.profile} --device`;
    return err(failure("auth", opened.error, { hint }));
  }
  const listener = opened.value;
  let page = notSignedIn("The sign-in was cancelled");
  try {
    const attempt = newAttempt(deps.provider, listener.redirectUri);
    ui.onUrl(attempt.url);
    const came = await comingBack(deps, ui, listener.arrived, signal);
    const code = came.ok ? codeOf(deps, attempt, came.value) : came;
    const login = code.ok ? await exchangeCode(deps, code.value, signal) : code;
    page = login.ok ? SIGNED_IN : notSignedIn(login.error.message);
    return login;
  } finally {
    await listener.close(page);
  }
}

type Attempt = {
  readonly url: string;
  readonly state: string;
  readonly verifier: string;
  readonly redirectUri: string;
};

function newAttempt(provider: LoginProvider, redirectUri: string): Attempt {
  const { verifier, challenge } = newPkce();
  const state = newState();
  const query = new URLSearchParams({
    response_type: "code",
    client_id: provider.clientId,
    redirect_uri: redirectUri,
    scope: provider.scope,
    code_challenge: challenge,
    code_challenge_method: "S256",
    state,
    ...provider.authorizeExtras,
  });
  return { url: `${provider.authorizeUrl}?${query}`, state, verifier, redirectUri };
}

/** Whichever is first: the browser, the pasted address, or the end of the time. */
async function comingBack(
  deps: IssuerDeps,
  ui: BrowserUi,
  arrived: Promise<URLSearchParams>,
  signal: AbortSignal,
): Promise<Result<URLSearchParams, Failure>> {
  const decided = new AbortController();
  const waiting = AbortSignal.any([signal, decided.signal]);
  const late = failure("auth", `Nobody signed in within ${LIMIT_MS / 60_000} minutes`, {
    hint: `buddy login ${deps.profile}`,
  });
  try {
    return await Promise.race([
      arrived.then(ok),
      deps.host.wait(LIMIT_MS, waiting).then(() => err(late)),
      ...(ui.askPasted ? [pasted(ui.askPasted, waiting).then(ok)] : []),
    ]);
  } finally {
    decided.abort();
  }
}

async function pasted(
  ask: NonNullable<BrowserUi["askPasted"]>,
  signal: AbortSignal,
): Promise<URLSearchParams> {
  let problem: string | undefined;
  while (true) {
    const text = await ask(problem, signal);
    signal.throwIfAborted();
    if (text === undefined) return new Promise(() => {}); // the browser may still come back
    const query = queryOf(text.trim());
    if (query !== undefined) return query;
    problem = "That is not the address the browser was sent to: it has code= and state= in it";
  }
}

/** Of a whole address, or of what follows its question mark. */
function queryOf(text: string): URLSearchParams | undefined {
  const query = new URLSearchParams(text.slice(text.indexOf("?") + 1).replace(/#.*$/s, ""));
  return query.has("state") && (query.has("code") || query.has("error")) ? query : undefined;
}

function codeOf(deps: IssuerDeps, attempt: Attempt, query: URLSearchParams): Result<Code, Failure> {
  const [state, code, error] = [query.get("state"), query.get("code"), query.get("error")];
  const refused = (why: string) => err(failure("auth", why, { hint: `buddy login ${deps.profile}` }));
  // An issuer may leave the state out when it refuses; what comes with a wrong one is not for us.
  if (state === null ? error === null : !sameState(attempt.state, state))
    return refused("The browser came back from another sign-in: its state is not the one that was sent");
  if (error === "access_denied") return refused("The sign-in was refused in the browser");
  if (error !== null) {
    const why = [error, query.get("error_description")].filter((word) => word !== null).join(": ");
    return refused(`${deps.provider.name} ended the sign-in: ${oneLine(why, 300)}`);
  }
  if (!code) return refused("The browser came back without a code");
  return ok({ code, verifier: attempt.verifier, redirectUri: attempt.redirectUri });
}
