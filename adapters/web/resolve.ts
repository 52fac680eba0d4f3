import { lookup } from "node:dns/promises";

/** Every address of a name; rejects when there is none to be had. Asked once for each connection. */
export type Resolver = (name: string) => Promise<readonly string[]>;

export const systemResolver: Resolver = async (name) =>
  (await lookup(name, { all: true, verbatim: true })).map(({ address }) => address);
