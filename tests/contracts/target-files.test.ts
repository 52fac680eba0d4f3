import { openLocalTarget } from "../../adapters/target/open.ts";
import { targetFilesContract } from "./target-files.contract.ts";

targetFilesContract("local plain", openLocalTarget);
