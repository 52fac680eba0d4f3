import { completions } from "../../adapters/model/completions.ts";
import { httpModel } from "../../adapters/model/http.ts";
import { httpSettings } from "../fakes/http-settings.ts";
import { modelContract } from "./model.contract.ts";

modelContract("http, completions", ({ url, host, retries, idleTimeoutMs, stream }) => {
  const settings = httpSettings(url, { retries, idleTimeoutMs });
  return httpModel(host, completions(), { ...settings, options: { ...settings.options, stream } });
});
