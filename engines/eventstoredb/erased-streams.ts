import { jsonEvent } from '@eventstore/db-client';
import type { StreamName } from '../../kernel/ports.js';
import { answered, restBefore, troubleOf, type Connection } from './connection.js';
import type { Names } from './names.js';
import { derivedId } from './stored-event.js';

/** An answer to a write that takes longer is not waited for. */
const answerMs = 5_000;
const triesMax = 6;
/** Streams that one entry of the register names. */
const entryStreamsMax = 500;

/**
 * A tombstone comes after the events it covers, and until a scavenge the server still shows these
 * to whoever reads everything. So a register, a stream of its own, says beforehand what is to be
 * left out. It is written before the tombstone: an erasure that ended half way is left out already
 * and is done again by whoever asked for it.
 */
export const openErasedStreams = ({ client, read, unavailable }: Connection, names: Names) => {
  const erased = new Set<StreamName>();
  let last = -1;

  /** An entry of the register, from a read or from a subscription. */
  const learn = (revision: number, data: unknown): void => {
    last = Math.max(last, revision);
    const { streams = [] } = (data ?? {}) as { readonly streams?: readonly StreamName[] };
    for (const stream of streams) erased.add(stream);
  };
  const refresh = async (): Promise<void> => {
    await read(
      () =>
        client.readStream(names.erased, { fromRevision: BigInt(last + 1), requiresLeader: true }),
      () =>
        ({ event }) => {
          if (event !== undefined) learn(Number(event.revision), event.data);
          return true;
        },
    );
  };

  const write = async (streams: readonly StreamName[]): Promise<void> => {
    for (let attempt = 1; ; attempt += 1) {
      const expected = last;
      const entry = jsonEvent({
        id: derivedId('erased', String(expected), ...streams),
        type: 'StreamsErased',
        data: { streams: [...streams] },
      });
      try {
        const { nextExpectedRevision } = await answered(
          answerMs,
          'an entry of the register',
          client.appendToStream(names.erased, entry, {
            expectedRevision: expected < 0 ? 'no_stream' : BigInt(expected),
            requiresLeader: true,
            deadline: answerMs,
          }),
        );
        learn(Number(nextExpectedRevision), { streams });
        return;
      } catch (error) {
        if (troubleOf(error) === 'refused' || attempt === triesMax) throw unavailable(error);
      }
      await refresh();
      if (streams.every((stream) => erased.has(stream))) return;
      await restBefore(Math.min(attempt, 3));
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
        if (unknown.length > 0) await write(unknown);
      });
    return writing;
  };

  const bury = async (name: string): Promise<void> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const tombstone = client.tombstoneStream(name, {
          requiresLeader: true,
          deadline: answerMs,
        });
        await answered(answerMs, 'a tombstone', tombstone);
        return;
      } catch (error) {
        const trouble = troubleOf(error);
        if (trouble === 'erased') return;
        if (trouble === 'refused' || attempt === triesMax) throw unavailable(error);
      }
      await restBefore(Math.min(attempt, 3));
    }
  };

  return {
    has: (stream: StreamName): boolean => erased.has(stream),
    learn,
    /** Everything that was erased before this was called is known when it resolves. */
    refresh,
    erase: async (stream: StreamName): Promise<void> => {
      await refresh();
      await enter(stream);
      // The parts even where there are none: an append may be about to write some.
      await Promise.all([bury(names.of(stream)), bury(names.parts(stream))]);
    },
    /** A tombstone was seen that is in no register: an operator's. */
    bury: (stream: StreamName): void => void erased.add(stream),
  };
};
