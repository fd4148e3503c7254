import type { Brand, Instant, Json, OrganizationId } from './schema-types.js';

/**
 * Where an event stands in the whole log: 16 characters `[0-9a-f]`, fixed width, so that text order
 * is log order on every engine. Positions may have gaps; revisions do not.
 */
export type Position = Brand<string, 'Position'>;
/** Before the first event. */
export const logStart = '0000000000000000' as Position;
export const laterPosition = (one: Position, other: Position): Position =>
  one > other ? one : other;

export type StreamName = Brand<string, 'StreamName'>;
export const streamNameOf = (noun: string, ...ids: readonly string[]): StreamName =>
  [noun, ...ids].join('-') as StreamName;

/** Who did it, through which request, and when: on each event (contract 1.12). */
export type Metadata = {
  readonly actor: Actor;
  readonly request_id: string;
  readonly correlation_id: string;
  readonly causation_id: string | null;
  readonly at: Instant;
  /**
   * Whose history it belongs to; null = the service's own. Absent from events from before this was
   * said, and from what follows from them: it is that of their stream then.
   */
  readonly organization_id?: OrganizationId | null;
  /** What of its data outlives them, where the stream's name does not say it. */
  readonly about?: EventReferences;
  /** Version of the event type's schema; older ones are upcast on read. */
  readonly schema: number;
};
/** What history lists an event by (contract 5.14), as its data name it. */
export type EventReferences = {
  readonly project_id?: string;
  readonly template_id?: string;
  readonly task_id?: string;
};
export type Actor = {
  readonly type: 'user' | 'api_key' | 'service';
  /** User id or key id; `assay` for the service itself. */
  readonly id: string;
  readonly role: string;
};

export type Event = { readonly type: string; readonly data: unknown };

export type NewEvent = Event & {
  /** A uuid. The same id sent again with the same payload is one event. */
  readonly id: string;
  readonly metadata: Metadata;
};

export type StoredEvent<E extends Event = Event> = E & {
  readonly id: string;
  readonly stream: StreamName;
  /** 0, 1, 2 … in its stream, without gaps. */
  readonly revision: number;
  readonly position: Position;
  readonly metadata: Metadata;
  /** SHA-256 of its salt and its data as stored, in lower-case hex (contract 5.14, rule 2). */
  readonly digest: string;
};

export type StreamAppend = {
  readonly stream: StreamName;
  /**
   * The revision of the stream's last event as the caller knows it, or `none` for a stream that
   * must not exist.
   */
  readonly expected: number | 'none';
  readonly events: readonly NewEvent[];
};
/** `position` is that of the last event of the append. */
export type AppendResult = { readonly position: Position } | 'conflict';

/**
 * The truth. Each StreamAppend is atomic by itself; several of one call are not (no engine may be
 * asked to). `append` resolves only after the events are durable. `conflict`: the expected revision
 * is not the stream's, or an event id is already stored with another payload, or the stream was
 * erased. The same ids with the same payload, sent again, answer their first position. Throws Fault
 * `unavailable` when nothing is known to be written or the outcome is unknown: repeat with the same
 * ids.
 */
export interface EventLog extends EventReader {
  append(batch: readonly StreamAppend[]): Promise<readonly AppendResult[]>;
  /**
   * The content is gone for good and a tombstone stays: the stream reads as empty and refuses
   * appends. Its envelopes stay, of all that was acknowledged: see `page`. Repeatable.
   */
  erase(stream: StreamName): Promise<void>;
  /**
   * False from the first failed commit on; `cause` is for the log. `fatal` = never again in this
   * process.
   */
  health(): { readonly writable: boolean; readonly fatal: boolean; readonly cause: string | null };
}

/**
 * Which events of a stream: from this revision on (default 0), of these types, at most that many.
 */
export type ReadOptions = {
  readonly from?: number;
  readonly types?: readonly string[];
  readonly limit?: number;
};
/** Where the last event of a stream stands, and what it is, without its content. */
export type LastEvent = Pick<StoredEvent, 'type' | 'revision' | 'position'>;

export interface EventReader {
  /**
   * Events of one stream in revision order; an unknown or erased stream is empty. Other work goes
   * on while a long one is read, but all of it is held in memory: see `portions`.
   */
  read(stream: StreamName, reading?: ReadOptions): Promise<readonly StoredEvent[]>;
  /**
   * The same events, about 1 MiB of them or one at a time. A portion without events says that the
   * stream was erased meanwhile: what came before it is void.
   */
  portions(stream: StreamName, reading?: ReadOptions): AsyncIterable<readonly StoredEvent[]>;
  /** Costs the same however long the stream is; null for an unknown or erased one. */
  last(stream: StreamName): Promise<LastEvent | null>;
  /**
   * The revision of its last event, `none` when it has none, if this process knows without looking,
   * since nobody else writes; else null. For decisions: who proves the log looks at it.
   */
  cachedRevision(stream: StreamName): number | 'none' | null;
  /**
   * Events after `after` in log order, at most `limit`; erased ones are apart. A page may hold
   * fewer although more is there: only `through` = `after` says that nothing is there yet. With
   * `types` only events of these types and none that are erased, and `limit` bounds how many are
   * looked at: see `through`. What is not as it was stored, where the log can tell, is refused with
   * Fault `log-damaged`.
   */
  page(after: Position, limit: number, types?: readonly string[]): Promise<EventPage>;
  /**
   * As `page` without types, of any type and version: nothing is decoded. Erased events keep their
   * place, without salt and data.
   */
  evidence(after: Position, limit: number): Promise<EvidencePage>;
  /**
   * The event at exactly this position, as `evidence` has it; null where the log has none. Throws
   * Fault `unavailable` too for a position that no event ever had, on a remote log.
   */
  evidenceAt(position: Position): Promise<Evidence | null>;
  /**
   * The newest events before `before` (default: the end), at most `limit`, in log order; fewer when
   * they are large. Empty only when there are none.
   */
  tail(limit: number, before?: Position): Promise<readonly StoredEvent[]>;
  /**
   * Names of the streams with events that begin with `prefix` and come after `after`, by code
   * point, at most `limit`.
   */
  streams(prefix: string, after: StreamName | null, limit: number): Promise<readonly StreamName[]>;
  /**
   * Resolves soon after the head passes `after`, or when `signal` aborts; may resolve early: look
   * again.
   */
  waitForGrowth(after: Position, signal?: AbortSignal): Promise<void>;
  /** Position of the last durable event, `logStart` on an empty log. */
  head(): Promise<Position>;
  /** When the disk that erased content lay on is free of it. */
  spaceReclaim(): Promise<SpaceReclaim>;
  /** How many events come after `after`; where counting costs reading, exact up to 1,000 only. */
  lag(after: Position): Promise<number>;
  close(): Promise<void>;
}
/**
 * `at-once`: with the erasure. `later`: when the engine tidies up; all that was erased
 * before `since` is gone, but for what lay in the file being written then. Null: it never did.
 */
export type SpaceReclaim =
  | { readonly when: 'at-once' | 'unknown' }
  | { readonly when: 'later'; readonly since: string | null };
/** All portions together. */
export const collectEvents = async (
  portions: AsyncIterable<readonly StoredEvent[]>,
): Promise<readonly StoredEvent[]> => {
  let events: StoredEvent[] = [];
  for await (const portion of portions) {
    if (portion.length === 0) events = [];
    for (const event of portion) events.push(event);
  }
  return events;
};
/**
 * `through`: everything up to here was looked at, so the next page begins after it even when events
 * were left out.
 */
export type EventPage = {
  readonly events: readonly StoredEvent[];
  /** What stayed of erased events between `after` and `through`, in log order. */
  readonly erased: readonly Envelope[];
  readonly through: Position;
};

/** What stays of an event whose content was erased. */
export type Envelope = Omit<StoredEvent, 'data'>;

/** An event as it is stored, with what its digest was made of (contract 5.14, rule 2). */
export type Evidence = Envelope & {
  /**
   * In lower-case hex. Null for events from before there were salts, whose digest is of the data
   * alone, and once the content is erased.
   */
  readonly salt: string | null;
  /** The text as it is stored, JSON; null once it is erased. */
  readonly data: string | null;
};
/** As `EventPage`. */
type EvidencePage = { readonly events: readonly Evidence[]; readonly through: Position };

/**
 * On whose behalf something is asked. Once `signal` aborts nobody waits for the answer: the engine
 * stops working on it and throws Fault `unavailable`, or the signal's reason when that is a Fault.
 */
export type QueryContext = {
  readonly signal?: AbortSignal;
  /** Whose share of the engine it takes; absent: the service's own. */
  readonly tenant?: string;
};

/** Hints only: losing every message costs freshness and nothing else. */
export interface NotificationBus {
  publish(subject: string, message: Json): void;
  /** Returns a function that ends the subscription. */
  subscribe(subject: string, handler: (message: Json) => void): () => void;
  /** Whether other processes hear what is published now; for operators, never for deciding. */
  isConnected(): boolean;
  close(): Promise<void>;
}

/**
 * Which of several processes does work that only one may do at a time. A lease is a courtesy that
 * saves double work: expected revisions and fences are what keep data right.
 */
export interface Leases {
  /**
   * The lease `name` for `holder` for that long from now, by the engine's clock: renewed when it is
   * theirs, taken when it is free or ran out. Returns its fence, which grows with each new holder
   * and stays with a renewal; null while another has it. Throws Fault `unavailable` when the engine
   * cannot say.
   */
  acquire(name: string, holder: string, milliseconds: number): Promise<number | null>;
  /** Frees the lease if `holder` has it. */
  release(name: string, holder: string): Promise<void>;
  close(): Promise<void>;
}

export interface Clock {
  now(): Instant;
  /** Monotone, for measuring only. */
  milliseconds(): number;
  /** Resolves after that time, or at once when `signal` aborts. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}
/** Uuids of the version-4 layout. */
export interface Ids {
  next<Name extends string>(name: Name): Brand<string, Name>;
  /** The same parts give the same id. */
  derive<Name extends string>(name: Name, ...parts: readonly string[]): Brand<string, Name>;
}
/** The few files the service itself touches: its secret key, the schema document, a marker. */
export interface Files {
  read(path: string): Promise<Uint8Array | null>;
  /**
   * Durable and whole when it resolves: written to another file, synced, renamed, folder synced.
   * Mode 0600.
   */
  write(path: string, bytes: Uint8Array): Promise<void>;
}

/**
 * Brings stored data to its newest shape; throws on an unknown type or version (events/codec.ts).
 */
export type Decode = (type: string, schema: number, data: unknown) => unknown;

/** SHA-256 of all parts one after the other; a text counts as its UTF-8. */
export type Sha256 = (...parts: readonly (string | Uint8Array)[]) => Uint8Array;
