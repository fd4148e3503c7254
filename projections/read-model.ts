import { redactedReason } from '../kernel/fault.js';
import type { Envelope, Position, StoredEvent, StreamName } from '../kernel/ports.js';
import type { Shadow, DumpItem, Checkpoint, ShadowOptions } from '../kernel/documents.js';

/**
 * Write interface of a read model, as the runner feeds it: one over Documents for each collection,
 * one over Records.
 */
export type Sink = {
  readonly name: string;
  readonly version: number;
  /** Types of the events that may change it; absent: any may. */
  readonly eventTypes?: readonly string[];
  /** Gap detection by revision: it has to be fed every event of the streams that it folds. */
  readonly countsRevisions?: true;
  /**
   * Types of the events after which deleted content has to leave every file within a minute
   * (contract 5.13): a copy that has not reached such an event is built again from the start.
   */
  readonly purgeTypes?: readonly string[];
  checkpoint(): Promise<Position>;
  /** Makes everything applied durable (`Records.flush`). Absent: `apply` of a fold does. */
  flush?(): Promise<void>;
  /**
   * Folds events in log order onto the stored state. Throws only when the store fails. Unless
   * `applied` is null, the previous batch is still being written: the store may be read only once
   * it resolves. `erased`: envelopes of erased events between the first of the batch and its end.
   */
  fold(
    events: readonly StoredEvent[],
    applied: Promise<unknown> | null,
    erased: readonly Envelope[],
  ): Promise<FoldResult>;
  /**
   * `false`: it takes every event or none. It stalls where a store refuses an event, and events
   * that others parked or skipped still reach it.
   */
  readonly canPark: boolean;
  dump(): AsyncIterable<DumpItem>;
};

export type FoldResult = {
  /** Writes the outcome and the checkpoint in one step. */
  readonly apply: (checkpoint: Checkpoint) => Promise<void>;
  /**
   * Poison events: the first event of each stream that cannot be folded; it and later ones of the
   * stream are not in `apply`.
   */
  readonly poisons: readonly Poison[];
  /** Set: an event is missing before this one, so nothing may be applied. */
  readonly gap: Gap | null;
};

/** Poison event: an event that a read model cannot fold, and why; its stream is parked. */
export type Poison = {
  readonly id: string;
  readonly stream: StreamName;
  readonly revision: number;
  readonly position: Position;
  readonly type: string;
  readonly reason: string;
  /** Location of the failure: the innermost stack frames. */
  readonly frames: readonly string[];
};
export type Gap = {
  readonly stream: StreamName;
  readonly expected: number;
  readonly found: number;
};

/** A live read model and the way to build a shadow copy next to it. */
export type ReadModel = Sink & {
  shadow(copying?: ShadowOptions): Promise<Shadow<Sink>>;
  /** The durable shadow copy of that id; null: it does not exist, or has another version. */
  resume(id: string): Promise<Shadow<Sink> | null>;
};

/** Replaces an event that an operator skipped: its revision counts, and it changes nothing. */
export const skippedType = 'EventSkipped';
/** Replaces an event that this version cannot decode. */
export const unreadableType = 'EventUnreadable';
/** Data of an unreadable event: its type, the reason, and the stored data. */
export type Unreadable = {
  readonly type: string;
  readonly reason: string;
  readonly stored: unknown;
};

export const poison = (event: StoredEvent, error: unknown): Poison => ({
  id: event.id,
  stream: event.stream,
  revision: event.revision,
  position: event.position,
  type: event.type === unreadableType ? (event.data as Unreadable).type : event.type,
  reason: redactedReason(error),
  frames: framesOf(error),
});

/** Enough to locate the failing part of a fold. */
const framesMax = 5;
/** Stack frames without the message above them, which may quote tenant data. */
const framesOf = (error: unknown): readonly string[] =>
  (error instanceof Error ? (error.stack ?? '') : '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /^at .+:\d+:\d+\)?$/.test(line))
    .slice(0, framesMax);

/**
 * Throws for an unreadable event. Called where the event is folded, so that only the folds that
 * need it fail.
 */
export const requireReadable = <E extends StoredEvent>(event: E): E => {
  if (event.type === unreadableType) throw new TypeError((event.data as Unreadable).reason);
  return event;
};
