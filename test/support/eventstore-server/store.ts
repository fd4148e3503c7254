import { randomUUID } from 'node:crypto';
import { openBus } from '../../../engines/memory/bus.js';
import { openEventLog } from '../../../engines/sqlite/event-log.js';
import {
  logStart,
  type EventLog,
  type NewEvent,
  type Position,
  type StreamName,
} from '../../../kernel/ports.js';
import { metadata } from '../new-events.js';

/** A stored event. `position` is set once it is durable; readers see it then. */
export type ServerEvent = {
  readonly stream: string;
  readonly revision: bigint;
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Buffer;
  readonly metadata: Buffer;
  readonly created: number;
  position: bigint | null;
};
export type ProposedEvent = Pick<ServerEvent, 'id' | 'type' | 'contentType' | 'data' | 'metadata'>;
export type ExpectedRevision = bigint | 'none' | 'any' | 'exists';
export type ServerAppendOutcome =
  | { readonly kind: 'success'; readonly revision: bigint; readonly position: bigint }
  | { readonly kind: 'wrong-version'; readonly actual: bigint | null }
  | { readonly kind: 'deleted' };

/** Revision of a tombstone and of the `$tb` of a soft delete. */
export const lastRevision = 9_223_372_036_854_775_807n;
type Stream = {
  entries: ServerEvent[];
  /** Revision of the last event ever, readable or not; -1 before the first. */
  last: bigint;
  /** Events below are no longer readable: soft deletion. */
  from: bigint;
  tombstoned: boolean;
  /** Ids since the start, for repeats without an expected revision. */
  readonly ids: Map<string, bigint>;
  durable: Promise<unknown>;
};
type JournalRecord = Omit<ServerEvent, 'data' | 'metadata' | 'revision' | 'position' | 'stream'> & {
  readonly revision: string;
  readonly data: string;
  readonly metadata: string;
};

/**
 * State of a server, decided in memory as a real one does (22.10.5, as observed) and kept in the
 * embedded log: an answer leaves after the events are durable. Opening it again replays that log.
 * Positions are offsets in a file: they grow by `bytesPerPosition`, and none is 0.
 */
export const openStore = async (dir: string, bytesPerPosition: bigint) => {
  const bus = openBus(`eventstore ${dir}`);
  const log = await openEventLog({ dir, bus });
  const streams = new Map<string, Stream>();
  let all: ServerEvent[] = [];
  /** Former positions of scavenged events: reads may continue from there. */
  const emptied = new Set<bigint>();
  const listeners = new Set<(entries: readonly ServerEvent[]) => void>();

  const streamOf = (name: string): Stream => {
    const known = streams.get(name) ?? {
      entries: [],
      last: -1n,
      from: 0n,
      tombstoned: false,
      ids: new Map(),
      durable: Promise.resolve(),
    };
    streams.set(name, known);
    return known;
  };
  const apply = (entry: ServerEvent): void => {
    const stream = streamOf(entry.stream);
    if (entry.type === '$streamDeleted') {
      stream.tombstoned = true;
      return;
    }
    stream.entries.push(entry);
    stream.last = entry.revision;
    if (entry.type !== '$metadata') return;
    const { $tb } = JSON.parse(entry.data.toString()) as { $tb?: string };
    if ($tb !== undefined) streamOf(entry.stream.slice(2)).from = BigInt($tb);
  };
  const remember = (entry: ServerEvent): void => {
    apply(entry);
    all.push(entry);
  };
  const placeOf = (position: Position): bigint => BigInt(`0x${position}`) * bytesPerPosition;
  await replay(log, placeOf, remember, (position) => emptied.add(position));

  const write = (name: string, entries: readonly ServerEvent[]): Promise<void> => {
    for (const entry of entries) apply(entry);
    const stream = streamOf(name);
    const written = journal(log, entries).then((positions) => {
      entries.forEach((entry, index) => {
        entry.position = (positions[index] ?? 0n) * bytesPerPosition;
        all.push(entry);
      });
      for (const listener of listeners) listener(entries);
    });
    stream.durable = written;
    return written;
  };
  const entryOf = (stream: string, revision: bigint, proposed: ProposedEvent): ServerEvent => ({
    ...proposed,
    stream,
    revision,
    created: Date.now(),
    position: null,
  });

  const isEmpty = (stream: Stream): boolean => stream.last < stream.from;
  const fits = (stream: Stream, expected: ExpectedRevision): boolean => {
    if (expected === 'any') return true;
    if (expected === 'none') return isEmpty(stream);
    if (expected === 'exists') return !isEmpty(stream);
    return expected === stream.last;
  };
  /** The last of the same ids, in the same order, where the append would have put them. */
  const repeated = (
    stream: Stream,
    expected: ExpectedRevision,
    ids: readonly string[],
  ): ServerEvent | null => {
    if (expected === 'exists' || ids.length === 0) return null;
    const first = firstOf(stream, expected, ids[0] ?? '');
    if (first === undefined) return null;
    const at = stream.entries.findIndex(({ revision }) => revision === first);
    if (at < 0) return null;
    const run = stream.entries.slice(at, at + ids.length);
    const isSame = run.length === ids.length && run.every(({ id }, index) => id === ids[index]);
    return isSame ? (run.at(-1) ?? null) : null;
  };

  const append = async (
    name: string,
    expected: ExpectedRevision,
    proposed: readonly ProposedEvent[],
  ): Promise<ServerAppendOutcome> => {
    const stream = streamOf(name);
    if (stream.tombstoned) {
      await stream.durable;
      return { kind: 'deleted' };
    }
    const ids = proposed.map(({ id }) => id);
    const isCurrent = expected !== 'any' && fits(stream, expected);
    const before = isCurrent ? null : repeated(stream, expected, ids);
    if (before !== null) {
      await stream.durable;
      return { kind: 'success', revision: before.revision, position: before.position ?? 0n };
    }
    if (!fits(stream, expected)) {
      await stream.durable;
      return { kind: 'wrong-version', actual: isEmpty(stream) ? null : stream.last };
    }
    if (stream.from > stream.last + 1n) stream.from = stream.last + 1n;
    const entries = proposed.map((one, index) =>
      entryOf(name, stream.last + 1n + BigInt(index), one),
    );
    for (const { id, revision } of entries) stream.ids.set(id, revision);
    if (entries.length > 0) await write(name, entries);
    const last = entries.at(-1) ?? all.at(-1);
    return { kind: 'success', revision: stream.last, position: last?.position ?? 0n };
  };

  const remove = async (
    name: string,
    expected: ExpectedRevision,
    isHard: boolean,
  ): Promise<ServerAppendOutcome> => {
    const stream = streamOf(name);
    if (stream.tombstoned) {
      await stream.durable;
      return { kind: 'deleted' };
    }
    if (!fits(stream, expected)) {
      return { kind: 'wrong-version', actual: isEmpty(stream) ? null : stream.last };
    }
    const entry = isHard
      ? entryOf(name, lastRevision, proposal('$streamDeleted', ''))
      : entryOf(
          `$$${name}`,
          streamOf(`$$${name}`).last + 1n,
          proposal('$metadata', `{"$tb":${JSON.stringify(String(lastRevision))}}`),
        );
    await write(isHard ? name : entry.stream, [entry]);
    if (isHard) stream.durable = streamOf(entry.stream).durable;
    return { kind: 'success', revision: entry.revision, position: entry.position ?? 0n };
  };

  return {
    append,
    remove,
    isTombstoned: (name: string): boolean => streams.get(name)?.tombstoned ?? false,
    /** Durable and readable events in order; null for a stream that is absent or soft-deleted. */
    read: (name: string): readonly ServerEvent[] | null => {
      const stream = streams.get(name);
      const found = stream?.entries.filter(
        ({ revision, position }) => revision >= (stream.from ?? 0n) && position !== null,
      );
      return found === undefined || found.length === 0 ? null : found;
    },
    all: (): readonly ServerEvent[] => all,
    wasEmptied: (position: bigint): boolean => emptied.has(position),
    /** Events that become durable from now on, one append at a time. */
    listen: (listener: (entries: readonly ServerEvent[]) => void): (() => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Removes the events that tombstones cover, and keeps the tombstones. */
    scavenge: async (): Promise<void> => {
      const gone = [...streams].filter(
        ([, stream]) => stream.tombstoned && stream.entries.length > 0,
      );
      for (const [name, stream] of gone) {
        await log.erase(name as StreamName);
        for (const { position } of stream.entries) emptied.add(position ?? 0n);
        stream.entries = [];
      }
      const names = new Set(gone.map(([name]) => name));
      all = all.filter(({ stream, type }) => !names.has(stream) || type === '$streamDeleted');
    },
    close: async (): Promise<void> => {
      await log.close();
      await bus.close();
    },
  };
};
export type Store = Awaited<ReturnType<typeof openStore>>;

const proposal = (type: string, data: string): ProposedEvent => ({
  id: randomUUID(),
  type,
  contentType: 'application/json',
  data: Buffer.from(data),
  metadata: Buffer.from(''),
});

/** The revision that the first of the events would have had. */
const firstOf = (
  stream: Stream,
  expected: Exclude<ExpectedRevision, 'exists'>,
  id: string,
): bigint | undefined => {
  if (expected === 'any') return stream.ids.get(id);
  return expected === 'none' ? 0n : expected + 1n;
};

/** Tombstones are kept apart, so that a scavenge can take a stream's events alone. */
const journalOf = (stream: string, type: string): StreamName =>
  (type === '$streamDeleted' ? `\u0001tombstone ${stream}` : stream) as StreamName;

const journal = async (
  log: EventLog,
  entries: readonly ServerEvent[],
): Promise<readonly bigint[]> => {
  const [first] = entries;
  if (first === undefined) return [];
  const isTombstone = first.type === '$streamDeleted';
  const events = entries.map((entry): NewEvent => {
    const { id, type, contentType, created } = entry;
    const data: JournalRecord = {
      id,
      type,
      contentType,
      created,
      revision: String(entry.revision),
      data: entry.data.toString('base64'),
      metadata: entry.metadata.toString('base64'),
    };
    return { id: randomUUID(), type: 'Entry', data, metadata };
  });
  const [result] = await log.append([
    {
      stream: journalOf(first.stream, first.type),
      expected: isTombstone || first.revision === 0n ? 'none' : Number(first.revision) - 1,
      events,
    },
  ]);
  if (result === undefined || result === 'conflict') throw new Error('the journal disagrees');
  const last = BigInt(`0x${result.position}`);
  const before = last - BigInt(entries.length);
  return entries.map((_, index) => before + BigInt(index + 1));
};

const replay = async (
  log: EventLog,
  placeOf: (position: Position) => bigint,
  apply: (entry: ServerEvent) => void,
  emptied: (position: bigint) => unknown,
): Promise<void> => {
  for (let after: Position = logStart; ;) {
    const page = await log.page(after, 1_000);
    for (const { position } of page.erased) emptied(placeOf(position));
    for (const { stream, data, position } of page.events) {
      const { revision, ...rest } = data as JournalRecord;
      apply({
        ...rest,
        stream: stream.replace('\u0001tombstone ', ''),
        revision: BigInt(revision),
        data: Buffer.from(rest.data, 'base64'),
        metadata: Buffer.from(rest.metadata, 'base64'),
        position: placeOf(position),
      });
    }
    if (page.through === after) return;
    after = page.through;
  }
};
