/** What a client takes from where it runs: Node has all of it, a page little. */
export type Runtime = {
  /** A variable of the environment. */
  readonly setting: (name: string) => string | undefined;
  readonly asyncContext: AsyncContext;
  /** Has what is left sent when the program ends; returns how not to. */
  readonly flushBeforeExit: (leaving: ExitFlush) => () => void;
  /** Draws a line over the last one on a terminal; null: there is none. */
  readonly drawLine: ((line: string, isLast: boolean) => void) | null;
  /** A timer that does not keep the program running by itself. */
  readonly inBackground: (timer: unknown) => void;
};

/** A value that holds within a function and all that it starts, and nowhere else. */
export type AsyncContext = {
  readonly current: () => unknown;
  readonly within: <T>(value: unknown, run: () => T) => T;
};

/** What the end of the program asks of a logger. None of it throws. */
export type ExitFlush = {
  readonly withinMs: number;
  /** Puts what is still open among what is to be sent. */
  readonly close: () => void;
  readonly isEmpty: () => boolean;
  /** Resolves with whether nothing is left, at the latest after that time. */
  readonly flush: (withinMs: number) => Promise<boolean>;
  /** All that is left, in order, for whoever can still send it. */
  readonly pending: () => PendingRequests;
  /** So many of the were taken; what is left is lost. */
  readonly acknowledge: (taken: number) => void;
};

export type PendingRequests = {
  readonly names: readonly PendingName[];
  readonly requests: readonly PendingRequest[];
};

/** What has to be found, or made, first: its id goes wherever `standIn` is. */
export type PendingName = {
  /** Lists it, if it is there. Made by a POST to the same path. */
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

/** Any runtime with `fetch`: nothing is ambient, and nobody says that the program ends. */
export const bareRuntime: Runtime = {
  setting: () => undefined,
  asyncContext: { current: () => null, within: (_value, run) => run() },
  flushBeforeExit: () => () => undefined,
  drawLine: null,
  inBackground: () => undefined,
};
