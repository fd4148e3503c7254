import type { Brand, Instant, Json, OrganizationId } from './schema-types.js';

/**
 * Position of an event in the whole log: 16 characters `[0-9a-f]`, fixed width, so that text order
 * is log order on every engine. Positions may have gaps; revisions do not.
 */
export type Position = Brand<string, 'Position'>;
/** Position before the first event. */
export const logStart = '0000000000000000' as Position;
export const laterPosition = (one: Position, other: Position): Position =>
  one > other ? one : other;

export type StreamName = Brand<string, 'StreamName'>;
export const streamNameOf = (noun: string, ...ids: readonly string[]): StreamName =>
  [noun, ...ids].join('-') as StreamName;

/** Metadata of each event: who caused it, through which request, and when (contract 1.12). */
export type Metadata = {
  readonly actor: Actor;
  readonly request_id: string;
  readonly correlation_id: string;
  readonly causation_id: string | null;
  readonly at: Instant;
  /**
   * Organisation whose history the event belongs to; null = the service's own. Absent from events
   * older than this member and from those that follow from them: the stream determines it then.
   */
  readonly organization_id?: OrganizationId | null;
  /** References that outlive the event's data, where the stream's name does not contain them. */
  readonly about?: EventReferences;
  /** Version of the event type's schema; older versions are upcast on read. */
  readonly schema: number;
};
/** References by which history lists an event (contract 5.14), as its data name them. */
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

export type Event = {
  readonly type: string;
  readonly data: unknown;
  /** Version of the data in an event to append; absent: 1. */
  readonly schema?: number;
};

export type NewEvent = Event & {
  /** Uuid and idempotency key: the same id sent again with the same payload is one event. */
  readonly id: string;
  readonly metadata: Metadata;
  /** Stored byte for byte instead of `data` as JSON: `data` is what the codec makes of it. */
  readonly json?: JsonBytes;
};
/** JSON text in UTF-8, in consecutive pieces. */
type JsonBytes = readonly Uint8Array[];
/** Form in which an event is stored, where that is not its data as JSON. */
export type StoredForm = { readonly schema: number; readonly json: JsonBytes };

export type StoredEvent<E extends Event = Event> = E & {
  readonly id: string;
  readonly stream: StreamName;
  /** 0, 1, 2 … in its stream, without gaps. */
  readonly revision: number;
  readonly position: Position;
  readonly metadata: Metadata;
  /** SHA-256 of salt and data as stored, in lower-case hex (contract 5.14, rule 2). */
  readonly digest: string;
};

export type StreamAppend = {
  readonly stream: StreamName;
  /**
   * Optimistic concurrency: the revision of the stream's last event that the caller read, or `none`
   * for a stream that must not exist.
   */
  readonly expected: number | 'none';
  readonly events: readonly NewEvent[];
  /** Appended only after the one before it in the batch, and a `conflict` after a conflict. */
  readonly afterPrevious?: true;
};
/** `position` is that of the last event of the append. */
export type AppendResult = { readonly position: Position } | 'conflict';

/**
 * Event store (event sourcing), the source of truth. Each StreamAppend is atomic by itself; several
 * in one call are not, since engines need not support that: see `afterPrevious`. `append` resolves
 * only after the events are durable. `conflict`: the expected revision is not the stream's, or an
 * event id is already stored with another payload, or the stream was erased. Idempotent: the same
 * ids with the same payload return their first position. Throws Fault `unavailable` when nothing is
 * known to be written or the outcome is unknown: retry with the same ids.
 */
export interface EventLog extends EventReader {
  append(batch: readonly StreamAppend[]): Promise<readonly AppendResult[]>;
  /**
   * Erases the content for good and leaves a tombstone: the stream reads as empty and refuses
   * appends. Envelopes of everything that was acknowledged stay: see `page`. Repeatable.
   */
  erase(stream: StreamName): Promise<void>;
  /**
   * `writable` is false from the first failed commit on; `cause` is for the service's log. `fatal`
   * = never again in this process.
   */
  health(): { readonly writable: boolean; readonly fatal: boolean; readonly cause: string | null };
}

/**
 * Selects events of a stream: from this revision on (default 0), of these types, at most `limit`.
 */
export type ReadOptions = {
  readonly from?: number;
  readonly types?: readonly string[];
  readonly limit?: number;
};
/** Position, revision and type of a stream's last event, without its content. */
export type LastEvent = Pick<StoredEvent, 'type' | 'revision' | 'position'>;

export interface EventReader {
  /**
   * Events of one stream in revision order; an unknown or erased stream is empty. Does not block
   * the event loop for long, but holds the whole stream in memory: see `portions`.
   */
  read(stream: StreamName, reading?: ReadOptions): Promise<readonly StoredEvent[]>;
  /**
   * The same events, about 1 MiB of them or one at a time. An empty portion means that the stream
   * was erased meanwhile: earlier portions are void.
   */
  portions(stream: StreamName, reading?: ReadOptions): AsyncIterable<readonly StoredEvent[]>;
  /**
   * Last event of a stream, at a cost independent of its length; null for an unknown or erased one.
   */
  last(stream: StreamName): Promise<LastEvent | null>;
  /**
   * Revision of the last event, `none` for an empty stream, if this process knows it without a read
   * because it is the only writer; else null. For decisions only: proofs read the log.
   */
  cachedRevision(stream: StreamName): number | 'none' | null;
  /**
   * Events after the cursor `after` in log order, at most `limit`; erased ones are separate. A page
   * may hold fewer although more follow: only `through` = `after` means that there are none yet.
   * With `types`, only events of these types and no erased ones, and `limit` bounds the events
   * scanned: see `through`. Throws Fault `log-damaged` where the log can detect that stored content
   * was changed.
   */
  page(after: Position, limit: number, types?: readonly string[]): Promise<EventPage>;
  /**
   * `page` without decoding: events of any type and version. Erased events keep their place,
   * without salt and data.
   */
  evidence(after: Position, limit: number): Promise<EvidencePage>;
  /**
   * The event at exactly this position, as in `evidence`; null where the log has none. A remote log
   * throws Fault `unavailable` too for a position that no event ever had.
   */
  evidenceAt(position: Position): Promise<Evidence | null>;
  /**
   * The newest events before `before` (default: the end), at most `limit`, in log order; fewer when
   * they are large. Empty only at the start of the log.
   */
  tail(limit: number, before?: Position): Promise<readonly StoredEvent[]>;
  /**
   * Names of non-empty streams that begin with `prefix` and follow `after` by code point (keyset
   * pagination), at most `limit`.
   */
  streams(prefix: string, after: StreamName | null, limit: number): Promise<readonly StreamName[]>;
  /**
   * Resolves soon after the head passes `after`, or when `signal` aborts; may resolve early, so
   * check again.
   */
  waitForGrowth(after: Position, signal?: AbortSignal): Promise<void>;
  /** Position of the last durable event; `logStart` on an empty log. */
  head(): Promise<Position>;
  /** Tells when erased content has left the disk. */
  spaceReclaim(): Promise<SpaceReclaim>;
  /**
   * Lag: the number of events after `after`; where counting requires reading, exact up to 1,000
   * only.
   */
  lag(after: Position): Promise<number>;
  close(): Promise<void>;
}

/** Reads of the log that answer once: `portions` streams, and `waitForGrowth` waits. */
export const eventReads = [
  'read',
  'last',
  'page',
  'evidence',
  'evidenceAt',
  'tail',
  'streams',
  'head',
  'lag',
] as const satisfies readonly (keyof EventReader)[];
/**
 * `at-once`: with the erasure. `later`: at the engine's next compaction; everything erased before
 * `since` is gone, except for content of the file that was being written then. Null: it never ran.
 */
export type SpaceReclaim =
  | { readonly when: 'at-once' | 'unknown' }
  | { readonly when: 'later'; readonly since: string | null };
/** Collects all portions. */
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
 * `through`: cursor up to which events were scanned, so the next page begins after it even when
 * events were left out.
 */
export type EventPage = {
  readonly events: readonly StoredEvent[];
  /** Envelopes of erased events between `after` and `through`, in log order. */
  readonly erased: readonly Envelope[];
  readonly through: Position;
};

/** Event without its content, as kept after an erasure. */
export type Envelope = Omit<StoredEvent, 'data'>;

/** Event as stored, with the input of its digest (contract 5.14, rule 2). */
export type Evidence = Envelope & {
  /**
   * Lower-case hex. Null for events older than salts, whose digest covers the data alone, and after
   * the content is erased.
   */
  readonly salt: string | null;
  /** JSON text as stored; null after it is erased. */
  readonly data: string | null;
};
/** Page of evidence, like `EventPage`. */
type EvidencePage = { readonly events: readonly Evidence[]; readonly through: Position };

/**
 * Context of a query: cancellation signal, and the tenant it is scheduled for. Once `signal`
 * aborts, the engine stops working on it and throws Fault `unavailable`, or the signal's reason
 * when that is a Fault.
 */
export type QueryContext = {
  readonly signal?: AbortSignal;
  /** Tenant whose share of the engine it uses; absent: the service's own. */
  readonly tenant?: string;
  /** W3C traceparent of the span that the query belongs to (kernel/tracing.ts). */
  readonly traceparent?: string | undefined;
};

/**
 * Lossy publish/subscribe of notifications: losing every message costs freshness and nothing else.
 */
export interface NotificationBus {
  publish(subject: string, message: Json): void;
  /** Returns a function that ends the subscription. */
  subscribe(subject: string, handler: (message: Json) => void): () => void;
  /** True if other processes receive what is published now; for operators, never for decisions. */
  isConnected(): boolean;
  close(): Promise<void>;
}

/**
 * Leases elect one of several processes for work. A lease is an optimisation that avoids double
 * work: correctness comes from expected revisions (optimistic concurrency) and fencing tokens.
 */
export interface Leases {
  /**
   * Acquires or renews the lease `name` for `holder` for that long, by the engine's clock; it is
   * taken when it is free or expired. Returns the fencing token, which grows with each new holder
   * and stays with a renewal; null while another holder has it. Throws Fault `unavailable` when the
   * engine cannot tell.
   */
  acquire(name: string, holder: string, milliseconds: number): Promise<number | null>;
  /** Releases the lease if `holder` has it. */
  release(name: string, holder: string): Promise<void>;
  close(): Promise<void>;
}

export interface Clock {
  now(): Instant;
  /** Monotonic clock, for measuring only. */
  milliseconds(): number;
  /** Resolves after that time, or at once when `signal` aborts. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}
/** Uuids of the version-4 layout. */
export interface Ids {
  next<Name extends string>(name: Name): Brand<string, Name>;
  /** Deterministic: the same parts give the same id. */
  derive<Name extends string>(name: Name, ...parts: readonly string[]): Brand<string, Name>;
}
/** Files of the service itself: its secret key, the schema document, a marker. */
export interface Files {
  read(path: string): Promise<Uint8Array | null>;
  /**
   * Atomic and durable when it resolves: written to another file, synced, renamed, folder synced.
   * Mode 0600.
   */
  write(path: string, bytes: Uint8Array): Promise<void>;
}

/**
 * Upcasts stored data to its newest schema; throws on an unknown type or version (events/codec.ts).
 */
export type Decode = (type: string, schema: number, data: unknown) => unknown;

/** SHA-256 of the concatenated parts; a text counts as its UTF-8. */
export type Sha256 = (...parts: readonly (string | Uint8Array)[]) => Uint8Array;
