import { logStart, type Position } from '../../kernel/ports.js';
import { singleFlight } from '../../kernel/concurrency.js';
import type { Connection } from './connection.js';
import type { StreamNaming } from './stream-naming.js';
import { serverPositionOf, positionOf, type ServerPosition } from './stored-event.js';

/** Events read at once when the last ones are all of other logs. */
const stepMax = 1_000;

/** Position of the log's newest event (the head). */
export const openLogHead = (connection: Connection, names: StreamNaming) => {
  /**
   * Newest event that any caller recorded, and the position up to which nothing of this log follows
   * it.
   */
  let newest: Position = logStart;
  let clear = -1n;

  const recordHead = (position: Position): void => {
    if (position > newest) newest = position;
  };
  /**
   * Reads backwards from the end until it meets an event of this log, or a range known to have
   * none.
   */
  const readHead = async (): Promise<Position> => {
    let from: ServerPosition | 'end' = 'end';
    let end: bigint | null = null;
    for (let step = 4; ; step = Math.min(stepMax, step * 4)) {
      const floor = serverPositionOf(newest).commit;
      const found = await stepBack(connection, names, {
        from,
        step,
        floor: clear > floor ? clear : floor,
      });
      end ??= found.end;
      if (found.ours !== null) recordHead(found.ours);
      if (found.ours !== null || found.isOver) {
        if (end !== null && end > clear) clear = end;
        return newest;
      }
      from = found.place ?? from;
    }
  };
  return { read: singleFlight(readHead), recordHead, newest: () => newest };
};

/** Skips events of other logs, until it reaches `floor` or has read `step` events. */
const stepBack = async (
  { client, read }: Connection,
  names: StreamNaming,
  {
    from,
    step,
    floor,
  }: { readonly from: ServerPosition | 'end'; readonly step: number; readonly floor: bigint },
) => {
  const found = {
    ours: null as Position | null,
    isOver: true,
    place: null as ServerPosition | null,
    end: null as bigint | null,
  };
  await read(
    () =>
      client.readAll({
        direction: 'backwards',
        fromPosition: from,
        maxCount: step,
        requiresLeader: true,
      }),
    () => {
      let count = 0;
      found.isOver = true;
      return ({ event }) => {
        count += 1;
        found.isOver = count < step;
        if (event === undefined) return true;
        found.end ??= event.position.commit;
        found.place = event.position;
        if (event.position.commit <= floor) {
          found.isOver = true;
          return false;
        }
        if (names.streamOf(event.streamId) === null || event.type.startsWith('$')) return true;
        found.ours = positionOf(event.position.commit);
        return false;
      };
    },
  );
  return found;
};
