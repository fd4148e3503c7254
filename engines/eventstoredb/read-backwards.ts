import type { Position } from '../../kernel/ports.js';
import type { Connection } from './connection.js';
import type { ErasedStreams } from './erased-streams.js';
import type { StreamNaming } from './stream-naming.js';
import {
  serverPositionOf,
  storedFrom,
  type ServerPosition,
  type EsdbEvent,
} from './stored-event.js';

/** Bytes read at most, plus one event. */
const bytesMax = 8 * 1024 * 1024;
/** Events read from the server at once. */
const stepMax = 1_000;

/**
 * Newest events of this log before a position, in log order, at most `limit`: reads backwards in
 * steps, past any number of events of other logs.
 */
export const openBackwardReader =
  ({ client, read }: Connection, names: StreamNaming, erased: ErasedStreams) =>
  async (limit: number, before?: Position): Promise<readonly EsdbEvent[]> => {
    await erased.refresh();
    const found: EsdbEvent[] = [];
    let bytes = 0;
    const isFull = (): boolean => found.length >= limit || bytes >= bytesMax;
    const step = Math.min(stepMax, limit + 1);
    for (
      let from: ServerPosition | 'end' = before === undefined ? 'end' : serverPositionOf(before);
      ;
    ) {
      const known = { count: found.length, bytes };
      const seen = { count: 0, last: null as ServerPosition | null };
      await read(
        () =>
          client.readAll({
            direction: 'backwards',
            fromPosition: from,
            maxCount: step,
            requiresLeader: true,
          }),
        () => {
          seen.count = 0;
          found.length = known.count;
          bytes = known.bytes;
          return ({ event }) => {
            seen.count += 1;
            if (event === undefined) return true;
            seen.last = event.position;
            const stream = names.streamOf(event.streamId);
            const isThere = stream !== null && !erased.has(stream);
            const stored = isThere ? storedFrom(stream, event) : null;
            if (stored === null || (before !== undefined && stored.position >= before)) return true;
            found.push(stored);
            bytes += stored.bytes;
            return !isFull();
          };
        },
      );
      if (isFull() || seen.last === null || seen.count < step) return found.reverse();
      from = seen.last;
    }
  };
