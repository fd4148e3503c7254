import { jsonEvent } from '@eventstore/db-client';
import { sharedLooks } from '../../kernel/turns.js';
import type { StreamName } from '../../kernel/ports.js';
import { troubleOf, type Connection } from './connection.js';
import type { Names } from './names.js';
import { derivedId } from './stored-event.js';

/** Streams that one entry of the register names. */
const entryStreamsMax = 500;

export type ErasedStreams = ReturnType<typeof openErasedStreams>;

/**
 * A tombstone comes after the events it covers, and until a scavenge the server still shows these
 * to whoever reads everything. So a register, a stream of its own, says beforehand what is to be
 * left out. It is written before the tombstone: an erasure that ended half way is left out already
 * and is done again by whoever asked for it.
 */
export const openErasedStreams = (connection: Connection, names: Names) => {
  const register = openRegister(connection, names.erased);
  const waiting = new Set<StreamName>();
  /** Whoever asks while an entry is written shares the next one. */
  const enterWaiting = sharedLooks(async () => {
    const streams = [...waiting].filter((stream) => !register.has(stream));
    waiting.clear();
    for (let from = 0; from < streams.length; from += entryStreamsMax) {
      await register.enter(streams.slice(from, from + entryStreamsMax));
    }
  });
  return {
    has: register.has,
    /** An entry of the register, from a subscription; earlier ones may be unknown yet. */
    learn: register.learn,
    /** Everything that was erased before this was called is known when it resolves. */
    refresh: register.refresh,
    erase: async (stream: StreamName): Promise<void> => {
      await register.refresh();
      waiting.add(stream);
      await enterWaiting();
      // The parts even where there are none: an append may be about to write some.
      await Promise.all([
        appendTombstone(connection, names.of(stream)),
        appendTombstone(connection, names.parts(stream)),
      ]);
    },
    /** A tombstone was seen that is in no register: an operator's. */
    noteErased: (stream: StreamName): void => register.learn({ streams: [stream] }),
  };
};

/** The streams that the entries of the register name, as far as they were read. */
const openRegister = ({ client, read, write, tries }: Connection, name: string) => {
  const erased = new Set<StreamName>();
  /** Revision of the last entry of which it and all before it are known. */
  let last = -1;

  const learn = (data: unknown): void => {
    const { streams = [] } = (data ?? {}) as { readonly streams?: readonly StreamName[] };
    for (const stream of streams) erased.add(stream);
  };
  const refresh = async (): Promise<void> => {
    await read(
      () => client.readStream(name, { fromRevision: BigInt(last + 1), requiresLeader: true }),
      () =>
        ({ event }) => {
          if (event === undefined) return true;
          learn(event.data);
          last = Math.max(last, Number(event.revision));
          return true;
        },
    );
  };
  const enter = async (streams: readonly StreamName[]): Promise<void> => {
    const again = tries();
    for (;;) {
      const expected = last;
      const entry = jsonEvent({
        id: derivedId('erased', String(expected), ...streams),
        type: 'StreamsErased',
        data: { streams: [...streams] },
      });
      try {
        const { nextExpectedRevision } = await write('an entry of the register', (deadline) =>
          client.appendToStream(name, entry, {
            expectedRevision: expected < 0 ? 'no_stream' : BigInt(expected),
            requiresLeader: true,
            deadline,
          }),
        );
        learn({ streams });
        last = Math.max(last, Number(nextExpectedRevision));
        return;
      } catch (error) {
        // Another process was faster: as long as somebody gets on, it may be.
        if (troubleOf(error) === 'conflict') await refresh();
        if (last === expected) await again(error);
      }
      await refresh();
      if (streams.every((stream) => erased.has(stream))) return;
    }
  };
  return { has: (stream: StreamName): boolean => erased.has(stream), learn, refresh, enter };
};

const appendTombstone = async (
  { client, write, tries }: Connection,
  name: string,
): Promise<void> => {
  const again = tries();
  for (;;) {
    try {
      await write('a tombstone', (deadline) =>
        client.tombstoneStream(name, { requiresLeader: true, deadline }),
      );
      return;
    } catch (error) {
      if (troubleOf(error) === 'erased') return;
      await again(error);
    }
  }
};
