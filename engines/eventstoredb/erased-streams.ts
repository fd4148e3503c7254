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

/** Streams that one entry of the register names. */
const entryStreamsMax = 500;
/** Others may append as often before an erasure gives up. */
const conflictsMax = 8;

type Needs = {
  readonly connection: Connection;
  readonly names: StreamNaming;
  readonly streams: StreamReader;
  /** The log's head is at least here. */
  readonly seen: (position: Position) => void;
};

export type ErasedStreams = ReturnType<typeof openErasedStreams>;

/**
 * A tombstone comes after the events it covers, and until a scavenge the server still shows these
 * to whoever reads everything. So a register, a stream of its own, says beforehand what is to be
 * left out. It is written before the tombstone: an erasure that ended half way is left out already
 * and is done again by whoever asked for it. Before the register come the envelopes of all events,
 * and the tombstone is for the last of these: what somebody appends in between refuses it. For
 * streams erased before this was so, the first erasure in a process begins to do it.
 */
export const openErasedStreams = (needs: Needs) => {
  const { connection, names, seen } = needs;
  const envelopes = openErasedEnvelopes(connection, names);
  const register = openRegister(connection, names.erasedRegister, (entry) => {
    envelopes.learn(entry.buckets ?? []);
    seen(entry.last ?? logStart);
  });
  let isBegun = false;
  const underWay = openRunningErasures();
  const mend = openEnvelopeMigration(needs, envelopes, register);
  const keep = openEnvelopeKeeping(needs, envelopes, register);
  const erase = async (stream: StreamName): Promise<void> => {
    await register.refresh();
    mend();
    for (let from = 0, tries = 1; ; tries += 1) {
      const last = await keep(stream, from);
      const expected = last === 'none' ? 'no_stream' : BigInt(last);
      if (await appendTombstone(connection, names.eventsOf(stream), expected)) break;
      if (tries === conflictsMax) {
        throw connection.unavailable(new Error(`others append to ${stream} all the time`));
      }
      from = last === 'none' ? 0 : last + 1;
    }
    // Also where there are none: an append may be about to write some.
    await appendTombstone(connection, names.partsOf(stream), 'any');
  };
  return {
    has: register.has,
    /** An entry of the register, from a subscription; earlier ones may be unknown yet. */
    learn: register.learn,
    /** Everything that was erased before this was called is known when it resolves. */
    refresh: register.refresh,
    /** What was erased before the log was opened is known when it resolves. */
    begun: async (): Promise<void> => {
      if (!isBegun) await register.refresh();
      isBegun = true;
    },
    /** Of erased events after one position up to another, in log order. */
    between: async (after: Position, through: Position): Promise<readonly Envelope[]> =>
      (await envelopes.between(after, through)).filter(({ stream }) => register.has(stream)),
    /** Of the erased event at exactly this position. */
    at: async (position: Position): Promise<Envelope | null> =>
      (await envelopes.at(position)).find(({ stream }) => register.has(stream)) ?? null,
    /** A position that a page of so many events does not pass; null where none is known. */
    limitOf: (after: Position, limit: number): Position | null =>
      envelopes.after(after).filter(({ stream }) => register.has(stream))[limit - 1]?.position ??
      null,
    erase: (stream: StreamName): Promise<void> => underWay.run(stream, erase(stream)),
    settled: underWay.settled,
    /** What stays of an event whose data are gone. */
    remains: async (stored: EsdbEvent): Promise<Envelope> => {
      if (stored.digest !== null) return envelopeFrom(stored);
      await register.refresh();
      return (await envelopes.at(stored.position))[0] ?? envelopeFrom(stored);
    },
    /** A tombstone was seen that is in no register: an operator's. */
    noteErased: (stream: StreamName): void => {
      if (!register.has(stream)) register.learn({ streams: [stream] });
    },
  };
};

/** Erasures by this process that have not ended. */
const openRunningErasures = () => {
  const erasures = new Map<StreamName, Promise<void>>();
  return {
    run: (stream: StreamName, erasing: Promise<void>): Promise<void> => {
      erasures.set(stream, erasing);
      return erasing.finally(() => {
        if (erasures.get(stream) === erasing) erasures.delete(stream);
      });
    },
    /** Those of these streams have ended when it resolves: appends can wait for it. */
    settled: async (streams: readonly StreamName[]): Promise<void> => {
      if (erasures.size === 0) return;
      await Promise.allSettled(streams.flatMap((stream) => erasures.get(stream) ?? []));
    },
  };
};

/**
 * For streams that were erased before envelopes were kept: in the background, and again with a
 * later erasure when it fails.
 */
const openEnvelopeMigration = (
  { connection, names }: Needs,
  envelopes: ErasedEnvelopes,
  register: Register,
) => {
  let isMending = false;
  return (): void => {
    const old = isMending ? new Set<StreamName>() : register.unkept();
    if (old.size === 0) return;
    isMending = true;
    migrateEnvelopes(connection, names, envelopes, old)
      .then((kept) => registerAll(register, [...old], kept))
      .catch(() => null)
      .finally(() => {
        isMending = false;
      });
  };
};

/**
 * Keeps envelopes of a stream's events from a revision on and names it in the register. Answers the
 * revision up to which it did, `none` without events.
 */
const openEnvelopeKeeping = (
  { connection, names, streams }: Needs,
  envelopes: ErasedEnvelopes,
  register: Register,
) => {
  const waiting = new Map<StreamName, readonly Envelope[]>();
  /** Whoever asks while an entry is written shares the next one. */
  const enterWaiting = singleFlight(async () => {
    const entered = [...waiting];
    waiting.clear();
    for (let from = 0; from < entered.length; from += entryStreamsMax) {
      await registerErased(envelopes, register, entered.slice(from, from + entryStreamsMax));
    }
  });
  const envelope = async (stored: EsdbEvent): Promise<Envelope> => {
    // Events from before there were digests get one while their data are there.
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

/** Entries that say of streams where their envelopes are. */
const registerAll = async (
  register: Register,
  streams: readonly StreamName[],
  kept: Omit<RegisterEntry, 'streams'>,
): Promise<void> => {
  for (let from = 0; from < streams.length; from += entryStreamsMax) {
    await register.enter({ ...kept, streams: streams.slice(from, from + entryStreamsMax) });
  }
};

/** The envelopes first. */
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
 * `buckets` have envelopes of their events, up to `last`. Absent from entries from before envelopes
 * were kept.
 */
type RegisterEntry = {
  readonly streams: readonly StreamName[];
  readonly buckets?: readonly Bucket[];
  readonly last?: Position;
};
type Register = ReturnType<typeof openRegister>;

/** The streams that the entries of the register name, as far as they were read. */
const openRegister = (
  { client, read, write, tries }: Connection,
  name: string,
  learnt: (entry: RegisterEntry) => void,
) => {
  const erased = new Set<StreamName>();
  /** Erased before envelopes were kept. */
  const unkept = new Set<StreamName>();
  /** Revision of the last entry of which it and all before it are known. */
  let last = -1;

  const learn = (data: unknown): void => {
    const entry: RegisterEntry = { streams: [], ...(data as Partial<RegisterEntry> | null) };
    const mark = entry.buckets === undefined ? 'add' : 'delete';
    for (const stream of entry.streams) erased.add(stream);
    for (const stream of entry.streams) unkept[mark](stream);
    learnt(entry);
  };
  /** Answers the ids of entries that came since. */
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
        // Another process was faster, as long as somebody gets on, or it is there all the same.
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

/** False when the stream's last revision is another. */
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
