import { jsonEvent } from '@eventstore/db-client';
import type { StreamName } from '../../kernel/ports.js';
import { troubleOf, type Connection } from './connection.js';
import type { Names } from './names.js';
import { derivedId } from './stored-event.js';

/** Streams that one entry of the register names. */
const entryStreamsMax = 500;

/**
 * A tombstone comes after the events it covers, and until a scavenge the server still shows these
 * to whoever reads everything. So a register, a stream of its own, says beforehand what is to be
 * left out. It is written before the tombstone: an erasure that ended half way is left out already
 * and is done again by whoever asked for it.
 */
export const openErasedStreams = ({ client, read, write, tries }: Connection, names: Names) => {
  const erased = new Set<StreamName>();
  /** Revision of the last entry of which it and all before it are known. */
  let last = -1;

  const learn = (data: unknown): void => {
    const { streams = [] } = (data ?? {}) as { readonly streams?: readonly StreamName[] };
    for (const stream of streams) erased.add(stream);
  };
  const refresh = async (): Promise<void> => {
    await read(
      () =>
        client.readStream(names.erased, { fromRevision: BigInt(last + 1), requiresLeader: true }),
      () =>
        ({ event }) => {
          if (event === undefined) return true;
          learn(event.data);
          last = Math.max(last, Number(event.revision));
          return true;
        },
    );
  };

  const register = async (streams: readonly StreamName[]): Promise<void> => {
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
          client.appendToStream(names.erased, entry, {
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

  let waiting = new Set<StreamName>();
  let writing: Promise<void> = Promise.resolve();
  /** Whoever asks while an entry is written shares the next one. */
  const enter = (stream: StreamName): Promise<void> => {
    waiting.add(stream);
    writing = writing
      .catch(() => null)
      .then(async () => {
        const streams = [...waiting].slice(0, entryStreamsMax);
        waiting = new Set([...waiting].slice(entryStreamsMax));
        const unknown = streams.filter((one) => !erased.has(one));
        if (unknown.length > 0) await register(unknown);
      });
    return writing;
  };

  const appendTombstone = async (name: string): Promise<void> => {
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

  return {
    has: (stream: StreamName): boolean => erased.has(stream),
    /** An entry of the register, from a subscription; earlier ones may be unknown yet. */
    learn,
    /** Everything that was erased before this was called is known when it resolves. */
    refresh,
    erase: async (stream: StreamName): Promise<void> => {
      await refresh();
      await enter(stream);
      // The parts even where there are none: an append may be about to write some.
      await Promise.all([appendTombstone(names.of(stream)), appendTombstone(names.parts(stream))]);
    },
    /** A tombstone was seen that is in no register: an operator's. */
    noteErased: (stream: StreamName): void => void erased.add(stream),
  };
};
