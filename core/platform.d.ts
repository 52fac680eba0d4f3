// All that core may know of its surroundings: cancellation, text decoding and the reading of URLs. No fetch, process, console, timers or Bun.

interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

interface AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

declare var AbortController: { new (): AbortController };
declare var AbortSignal: { any(signals: readonly AbortSignal[]): AbortSignal };

declare class TextDecoder {
  constructor(label?: "utf-8", options?: { fatal?: boolean; ignoreBOM?: boolean });
  decode(input?: Uint8Array, options?: { stream?: boolean }): string;
}

declare class TextEncoder {
  encode(input: string): Uint8Array;
}

declare class URL {
  constructor(text: string);
  static canParse(text: string): boolean;
  readonly href: string;
  readonly origin: string;
  readonly protocol: string;
  readonly host: string;
  hostname: string;
  readonly port: string;
  readonly pathname: string;
  search: string;
  hash: string;
}

declare module "*.md" {
  const text: string;
  export default text;
}
