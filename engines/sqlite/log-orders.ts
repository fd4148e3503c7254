/**
 * What crosses between the accepting thread and the log writer's: lists of orders there, lists of
 * outcomes back.
 */
export type WriteOrder = AppendOrder | EraseOrder | ProbeOrder;

export type AppendOrder = {
  readonly kind: 'append';
  readonly id: number;
  /** About what it will take on the disk: bounds a transaction and the queue. */
  readonly bytes: number;
  readonly batch: readonly StreamOrder[];
};
export type StreamOrder = {
  readonly stream: string;
  /** -1 for a stream that must not exist. */
  readonly expected: number;
  readonly events: readonly {
    readonly id: string;
    readonly type: string;
    readonly data: string;
    readonly metadata: string;
  }[];
};
type EraseOrder = { readonly kind: 'erase'; readonly id: number; readonly stream: string };
/** Asks a writer whose disk was full to find out whether it still is. */
type ProbeOrder = { readonly kind: 'probe'; readonly id: number };

/** Ends the writer after all that was sent before it. */
export const endOfOrders = 'end';

/** Position number of the last event of the append. */
export type AppendOutcome = number | 'conflict';

export type OrderOutcome =
  | { readonly id: number; readonly written: readonly AppendOutcome[]; readonly last: number }
  | { readonly id: number; readonly failed: WriteFailure };
/**
 * `fatal`: what is on the disk is unknown, so this writer never acknowledges again. `full`: it
 * refuses until a probe has committed. `busy`: somebody else holds the file just now, and only this
 * order fails. `damaged`: the file is not what was written; what can be read still is, but nothing
 * is written to it any more.
 */
export type WriteFailure =
  | { readonly kind: 'fatal' | 'full' | 'busy'; readonly cause: string }
  | ({ readonly kind: 'damaged' } & LogDamage);

/** `hidesEvents`: an index is damaged, so that an event may be there and not be found by it. */
export type LogDamage = { readonly cause: string; readonly hidesEvents: boolean };

/**
 * The writer's first message: the position number of the last event there is, and the damage that
 * keeps it from writing; or why the log cannot be opened.
 */
export type WriterReady =
  { readonly last: number; readonly damage: LogDamage | null } | { readonly refused: string };
