const SHORTEST = 6;
const STAR = 0x2a;

/** Puts stars over secrets in a stream of bytes, also where one is spread over two pieces. Nothing changes its place. */
export type ByteMask = {
  /** What is certain by now: the end may wait for the next piece. */
  readonly add: (bytes: Uint8Array) => Uint8Array;
  readonly rest: () => Uint8Array;
};

export function byteMask(secrets: readonly string[]): ByteMask {
  const wanted = secrets.filter((secret) => secret.length >= SHORTEST).map((secret) => Buffer.from(secret));
  const longest = wanted.reduce((most, { length }) => Math.max(most, length), 0);
  let waiting = Buffer.alloc(0);
  return {
    add: (bytes) => {
      if (longest === 0) return bytes;
      const all = Buffer.concat([waiting, bytes]);
      for (const secret of wanted) {
        for (let at = all.indexOf(secret); at !== -1; at = all.indexOf(secret, at + 1)) {
          all.fill(STAR, at, at + secret.length);
        }
      }
      const certain = Math.max(0, all.length - longest + 1);
      waiting = Buffer.from(all.subarray(certain));
      return all.subarray(0, certain);
    },
    rest: () => waiting,
  };
}
