/**
 * Messages between the accepting thread and the log writer: lists of orders there, lists of
 * outcomes back.
 */
export type WriteOrder = AppendOrder | EraseOrder | ProbeOrder;

export type AppendOrder = {
  readonly kind: 'append';
  readonly id: number;
  /** Estimated size on disk: limits a transaction and the queue. */
  readonly bytes: number;
  readonly batch: readonly StreamOrder[];
  /** Memory of the data that is bytes: the writer takes it over. Null: none is. */
  readonly buffer: ArrayBuffer | null;
};
export type StreamOrder = {
  readonly stream: string;
  /** -1 for a stream that must not exist. */
  readonly expected: number;
  readonly events: readonly {
    readonly id: string;
    readonly type: string;
    /** JSON text; as bytes, it is UTF-8. */
    readonly data: string | Uint8Array;
    readonly metadata: string;
  }[];
  readonly afterPrevious?: true;
};
type EraseOrder = { readonly kind: 'erase'; readonly id: number; readonly stream: string };
/** Probe whether a full disk has room again. */
type ProbeOrder = { readonly kind: 'probe'; readonly id: number };

/** Ends the writer after all earlier orders. */
export const endOfOrders = 'end';

/** Position number of the last event of the append. */
export type AppendOutcome = number | 'conflict';

export type OrderOutcome =
  | { readonly id: number; readonly written: readonly AppendOutcome[]; readonly last: number }
  | { readonly id: number; readonly failed: WriteFailure };
/**
 * `fatal`: the state of the disk is unknown, so this writer never acknowledges again. `full`:
 * writes are refused until a probe has committed. `busy`: another process holds the file just now,
 * and only this order fails. `damaged`: the file is not as it was written; reads go on where they
 * can, but nothing is written to it any more.
 */
export type WriteFailure =
  | { readonly kind: 'fatal' | 'full' | 'busy'; readonly cause: string }
  | ({ readonly kind: 'damaged' } & LogDamage);

/** `hidesEvents`: an index is damaged, so that it may miss an existing event. */
export type LogDamage = { readonly cause: string; readonly hidesEvents: boolean };

/**
 * First message of the writer: the position number of the last event, and the damage that keeps it
 * from writing; or the reason why the log cannot be opened.
 */
export type WriterReady =
  { readonly last: number; readonly damage: LogDamage | null } | { readonly refused: string };
