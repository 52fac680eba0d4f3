/** One request without redirects. Rejects when there is no response. */
export type Hop = (
  request: {
    readonly url: string;
    /** A checked address of the URL's host. */
    readonly address: string;
    readonly headers: Readonly<Record<string, string>>;
  },
  signal: AbortSignal,
) => Promise<HopResponse>;

export type HopResponse = {
  readonly status: number;
  /** By its name in lower case. */
  readonly header: (name: string) => string | undefined;
  /** As it came over the wire: not decompressed. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Lets go of the connection; what was not read is not wanted. */
  readonly close: () => void;
};
