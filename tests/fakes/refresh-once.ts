// A process that asks for the current login once it is told to go, and prints what it got.
import { currentLogin } from "../../adapters/auth/current-login.ts";
import { loginProvider } from "../../adapters/auth/providers.ts";
import { systemHost } from "../../adapters/host/host.ts";

const [authPath = ""] = process.argv.slice(2);
const provider = loginProvider("openai", process.env);
if (!provider.ok) throw new Error(provider.error.message);
console.log("ready");
for await (const _ of console) break;
const deps = { host: systemHost, provider: provider.value, profile: "gpt", authPath };
const login = await currentLogin(deps, { renew: "when_due" }, new AbortController().signal);
console.log(JSON.stringify(login));
process.exit(0);
