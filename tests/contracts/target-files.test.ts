import { lazyLocal } from "../../adapters/target/lazy-local.ts";
import { targetFilesContract } from "./target-files.contract.ts";

targetFilesContract("local plain", lazyLocal);
