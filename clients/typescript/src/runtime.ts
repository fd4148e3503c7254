/** Services of the runtime that a client uses: Node has all of them, a page few. */
export type Runtime = {
  /** A variable of the environment. */
  readonly setting: (name: string) => string | undefined;
  readonly asyncContext: AsyncContext;
  /** Flushes when the program ends; returns a function that cancels this. */
  readonly flushBeforeExit: (leaving: ExitFlush) => () => void;
  /** Draws a line over the last one on a terminal; null without a terminal. */
  readonly drawLine: ((line: string, isLast: boolean) => void) | null;
  /** A timer that does not keep the program running by itself. */
  readonly inBackground: (timer: unknown) => void;
};

/** Async context: a value that applies within a function and all that it starts. */
export type AsyncContext = {
  readonly current: () => unknown;
  readonly within: <T>(value: unknown, run: () => T) => T;
};

/** Logger functions for the end of the program. None of them throws. */
export type ExitFlush = {
  readonly withinMs: number;
  /** Ends open records and enqueues them. */
  readonly close: () => void;
  readonly isEmpty: () => boolean;
  /** Resolves with true if nothing is left, at the latest after that time. */
  readonly flush: (withinMs: number) => Promise<boolean>;
  /** All that is left, in order, for sending by other means. */
  readonly pending: () => PendingRequests;
  /** Acknowledges the first `taken` requests; the others are lost. */
  readonly acknowledge: (taken: number) => void;
};

export type PendingRequests = {
  readonly names: readonly PendingName[];
  readonly requests: readonly PendingRequest[];
};

/** A resource to find or create first: its id replaces `standIn` everywhere. */
export type PendingName = {
  /** Lists it, if it exists. Created by a POST to the same path. */
  readonly url: string;
  readonly name: string;
  readonly standIn: string;
  readonly headers: Readonly<Record<string, string>>;
};

export type PendingRequest = {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** Any runtime with `fetch`: no async context, no event at the end of the program. */
export const bareRuntime: Runtime = {
  setting: () => undefined,
  asyncContext: { current: () => null, within: (_value, run) => run() },
  flushBeforeExit: () => () => undefined,
  drawLine: null,
  inBackground: () => undefined,
};
