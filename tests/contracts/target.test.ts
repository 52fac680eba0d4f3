import { lazyLocal } from "../../adapters/target/lazy-local.ts";
import { targetContract } from "./target.contract.ts";

targetContract("local plain", ({ cwd, env }) => lazyLocal({ cwd, home: undefined, env }));
