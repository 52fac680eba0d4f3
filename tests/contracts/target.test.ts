import { openLocalTarget } from "../../adapters/target/open.ts";
import { targetContract } from "./target.contract.ts";

targetContract("local plain", ({ cwd, env }) => openLocalTarget({ cwd, home: undefined, env }));
