import { jsonEvent } from '@eventstore/db-client';
import { singleFlight } from '../../kernel/concurrency.js';
import { logStart, type Envelope, type Position, type StreamName } from '../../kernel/ports.js';
import { failureKindOf, type Connection } from './connection.js';
import { openErasedEnvelopes, type ErasedEnvelopes } from './erased-envelopes.js';
import { migrateEnvelopes } from './migrate-envelopes.js';
import type { Bucket, StreamNaming } from './stream-naming.js';
import { derivedUuid, envelopeFrom, type EsdbEvent } from './stored-event.js';
import type { StreamReader } from './stream-reader.js';
import { loadParts } from './event-parts.js';

/** Streams per register entry. */
const entryStreamsMax = 500;
/** Conflicts with other appends before an erasure fails. */
const conflictsMax = 8;

type Needs = {
  readonly connection: Connection;
  readonly names: StreamNaming;
  readonly streams: StreamReader;
  /** Records that the log's head is at least here. */
  readonly recordHead: (position: Position) => void;
};

export type ErasedStreams = ReturnType<typeof openErasedStreams>;

/**
 * Erasure of streams. A tombstone comes after the events it covers, and until a scavenge a read of
 * the whole server still returns these. A register, a stream of its own, therefore lists in advance
 * what reads must leave out. It is written before the tombstone: a partly done erasure is left out
 * already, and its caller repeats it. The envelopes of all events are stored before the register
 * entry, and the tombstone expects the last of these events: an append in between makes it fail.
 * Streams erased by builds without envelopes are migrated by the first erasure of a process.
 */
export const openErasedStreams = (needs: Needs) => {
  const { connection, names, recordHead } = needs;
  const envelopes = openErasedEnvelopes(connection, names);
  const register = openRegister(connection, names.erasedRegister, (entry) => {
    envelopes.learn(entry.buckets ?? []);
    recordHead(entry.last ?? logStart);
  });
  let isBegun = false;
  const underWay = openRunningErasures();
  const migrate = openEnvelopeMigration(needs, envelopes, register);
  const keep = openEnvelopeKeeping(needs, envelopes, register);
  const erase = async (stream: StreamName): Promise<void> => {
    await register.refresh();
    migrate();
    for (let from = 0, tries = 1; ; tries += 1) {
      const last = await keep(stream, from);
      const expected = last === 'none' ? 'no_stream' : BigInt(last);
      if (await appendTombstone(connection, names.eventsOf(stream), expected)) break;
      if (tries === conflictsMax) {
        throw connection.unavailable(new Error(`others append to ${stream} all the time`));
      }
      from = last === 'none' ? 0 : last + 1;
    }
    // Also without parts: an append may be about to write some.
    await appendTombstone(connection, names.partsOf(stream), 'any');
  };
  return {
    has: register.has,
    /** Applies a register entry from a subscription; earlier entries may still be missing. */
    learn: register.learn,
    /** Resolves once all erasures before this call are known. */
    refresh: register.refresh,
    /** Resolves once all erasures before the log was opened are known. */
    begun: async (): Promise<void> => {
      if (!isBegun) await register.refresh();
      isBegun = true;
    },
    /** Envelopes of erased events after one position up to another, in log order. */
    between: async (after: Position, through: Position): Promise<readonly Envelope[]> =>
      (await envelopes.between(after, through)).filter(({ stream }) => register.has(stream)),
    /** Envelope of the erased event at exactly this position. */
    at: async (position: Position): Promise<Envelope | null> =>
      (await envelopes.at(position)).find(({ stream }) => register.has(stream)) ?? null,
    /** Position that a page of this many events does not pass; null when unknown. */
    limitOf: (after: Position, limit: number): Position | null =>
      envelopes.after(after).filter(({ stream }) => register.has(stream))[limit - 1]?.position ??
      null,
    erase: (stream: StreamName): Promise<void> => underWay.run(stream, erase(stream)),
    settled: underWay.settled,
    /** Envelope of an event whose data is gone. */
    remains: async (stored: EsdbEvent): Promise<Envelope> => {
      if (stored.digest !== null) return envelopeFrom(stored);
      await register.refresh();
      return (await envelopes.at(stored.position))[0] ?? envelopeFrom(stored);
    },
    /** Records an operator's tombstone: one that is not in the register. */
    noteErased: (stream: StreamName): void => {
      if (!register.has(stream)) register.learn({ streams: [stream] });
    },
  };
};

/** Running erasures of this process. */
const openRunningErasures = () => {
  const erasures = new Map<StreamName, Promise<void>>();
  return {
    run: (stream: StreamName, erasing: Promise<void>): Promise<void> => {
      erasures.set(stream, erasing);
      return erasing.finally(() => {
        if (erasures.get(stream) === erasing) erasures.delete(stream);
      });
    },
    /** Resolves when the erasures of these streams have ended: appends wait for it. */
    settled: async (streams: readonly StreamName[]): Promise<void> => {
      if (erasures.size === 0) return;
      await Promise.allSettled(streams.flatMap((stream) => erasures.get(stream) ?? []));
    },
  };
};

/**
 * Migrates streams that were erased before envelopes were stored: in the background, retried by a
 * later erasure when it fails.
 */
const openEnvelopeMigration = (
  { connection, names }: Needs,
  envelopes: ErasedEnvelopes,
  register: Register,
) => {
  let isMigrating = false;
  return (): void => {
    const old = isMigrating ? new Set<StreamName>() : register.unkept();
    if (old.size === 0) return;
    isMigrating = true;
    migrateEnvelopes(connection, names, envelopes, old)
      .then((kept) => registerAll(register, [...old], kept))
      .catch(() => null)
      .finally(() => {
        isMigrating = false;
      });
  };
};

/**
 * Stores envelopes of a stream's events from a revision on and registers the stream. Returns the
 * revision up to which it did, `none` without events.
 */
const openEnvelopeKeeping = (
  { connection, names, streams }: Needs,
  envelopes: ErasedEnvelopes,
  register: Register,
) => {
  const waiting = new Map<StreamName, readonly Envelope[]>();
  /** Single flight: calls during a write share the next one. */
  const enterWaiting = singleFlight(async () => {
    const entered = [...waiting];
    waiting.clear();
    for (let from = 0; from < entered.length; from += entryStreamsMax) {
      await registerErased(envelopes, register, entered.slice(from, from + entryStreamsMax));
    }
  });
  const envelope = async (stored: EsdbEvent): Promise<Envelope> => {
    // Events stored before digests existed get one while their data is there.
    const isKnown = stored.digest !== null || stored.parts === null;
    return envelopeFrom(
      isKnown ? stored : ((await loadParts(connection, names, stored)) ?? stored),
    );
  };
  return async (stream: StreamName, from: number): Promise<number | 'none'> => {
    const found: Envelope[] = [];
    for await (const portion of streams.portions(stream, { from })) {
      for (const stored of portion) found.push(await envelope(stored));
    }
    if (found.length > 0 || !register.has(stream)) {
      waiting.set(stream, [...(waiting.get(stream) ?? []), ...found]);
      await enterWaiting();
    }
    return found.at(-1)?.revision ?? (from === 0 ? 'none' : from - 1);
  };
};

/** Registers where the envelopes of streams are. */
const registerAll = async (
  register: Register,
  streams: readonly StreamName[],
  kept: Omit<RegisterEntry, 'streams'>,
): Promise<void> => {
  for (let from = 0; from < streams.length; from += entryStreamsMax) {
    await register.enter({ ...kept, streams: streams.slice(from, from + entryStreamsMax) });
  }
};

/** Stores the envelopes, then registers the streams. */
const registerErased = async (
  envelopes: ErasedEnvelopes,
  register: Register,
  streams: readonly (readonly [StreamName, readonly Envelope[]])[],
): Promise<void> => {
  const kept = streams.flatMap(([, some]) => some);
  const last = kept.reduce((high, { position }) => (position > high ? position : high), logStart);
  const buckets = await envelopes.keep(kept);
  await register.enter({ streams: streams.map(([name]) => name), buckets, last });
};

/**
 * Register entry; `buckets` have envelopes of the streams' events, up to `last`. Both are absent
 * from entries written before envelopes were stored.
 */
type RegisterEntry = {
  readonly streams: readonly StreamName[];
  readonly buckets?: readonly Bucket[];
  readonly last?: Position;
};
type Register = ReturnType<typeof openRegister>;

/** Erased streams named by the register entries read so far. */
const openRegister = (
  { client, read, write, tries }: Connection,
  name: string,
  onEntry: (entry: RegisterEntry) => void,
) => {
  const erased = new Set<StreamName>();
  /** Streams erased before envelopes were stored. */
  const unkept = new Set<StreamName>();
  /** Revision up to which all entries are known. */
  let last = -1;

  const learn = (data: unknown): void => {
    const entry: RegisterEntry = { streams: [], ...(data as Partial<RegisterEntry> | null) };
    const mark = entry.buckets === undefined ? 'add' : 'delete';
    for (const stream of entry.streams) erased.add(stream);
    for (const stream of entry.streams) unkept[mark](stream);
    onEntry(entry);
  };
  /** Applies newer entries; returns their ids. */
  const readOn = async (): Promise<readonly string[]> => {
    const ids: string[] = [];
    await read(
      () => client.readStream(name, { fromRevision: BigInt(last + 1), requiresLeader: true }),
      () =>
        ({ event }) => {
          if (event === undefined) return true;
          learn(event.data);
          ids.push(event.id);
          last = Math.max(last, Number(event.revision));
          return true;
        },
    );
    return ids;
  };
  const enter = async (entry: RegisterEntry): Promise<void> => {
    const again = tries();
    for (;;) {
      const expected = last;
      const event = jsonEvent({
        id: derivedUuid('erased', String(expected), ...entry.streams),
        type: 'StreamsErased',
        data: entry,
      });
      try {
        const { nextExpectedRevision } = await write('an entry of the register', (deadline) =>
          client.appendToStream(name, event, {
            expectedRevision: expected < 0 ? 'no_stream' : BigInt(expected),
            requiresLeader: true,
            deadline,
          }),
        );
        learn(entry);
        last = Math.max(last, Number(nextExpectedRevision));
        return;
      } catch (error) {
        // Either a conflict with another process, retried as long as the register grows, or the
        // entry was written although an error was returned.
        if ((await readOn()).includes(event.id)) return;
        if (last === expected) await again(error);
      }
    }
  };
  return {
    has: (stream: StreamName): boolean => erased.has(stream),
    unkept: (): ReadonlySet<StreamName> => new Set(unkept),
    learn,
    refresh: async (): Promise<void> => void (await readOn()),
    enter,
  };
};

/** Returns false when the stream's last revision differs. */
const appendTombstone = async (
  { client, write, tries }: Connection,
  name: string,
  expectedRevision: bigint | 'no_stream' | 'any',
): Promise<boolean> => {
  const again = tries();
  for (;;) {
    try {
      await write('a tombstone', (deadline) =>
        client.tombstoneStream(name, { expectedRevision, requiresLeader: true, deadline }),
      );
      return true;
    } catch (error) {
      if (failureKindOf(error) === 'erased') return true;
      if (failureKindOf(error) === 'conflict') return false;
      await again(error);
    }
  }
};
