import { logStart, type Position } from '../../kernel/ports.js';
import { singleFlight } from '../../kernel/concurrency.js';
import type { Connection } from './connection.js';
import type { StreamNaming } from './stream-naming.js';
import { serverPositionOf, positionOf, type ServerPosition } from './stored-event.js';

/** Events asked for at once when there are none of ours among the last ones. */
const stepMax = 1_000;

/** The position of the newest event of ours. */
export const openLogHead = (connection: Connection, names: StreamNaming) => {
  /**
   * The newest event of ours that anybody here has seen, and up to where there is none after it.
   */
  let newest: Position = logStart;
  let clear = -1n;

  const seen = (position: Position): void => {
    if (position > newest) newest = position;
  };
  /**
   * Looks backwards from the end until it meets something of ours, or what is known to be quiet.
   */
  const look = async (): Promise<Position> => {
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
      if (found.ours !== null) seen(found.ours);
      if (found.ours !== null || found.isOver) {
        if (end !== null && end > clear) clear = end;
        return newest;
      }
      from = found.place ?? from;
    }
  };
  return { ask: singleFlight(look), seen, newest: () => newest };
};

/** Passes over what is not ours, until it is down at `floor` or has seen `step` events. */
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
