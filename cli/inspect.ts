import { nonconformities } from '../events/conformity.js';
import { Fault } from '../kernel/fault.js';
import type { EventReader, Position, Recorded, StreamName } from '../kernel/ports.js';
import type { Config } from '../config.js';
import { openLogOf } from './folder.js';
import { operator } from './operator.js';
import { printRows, type PrintedRow } from './rows.js';
import { shownData } from './shown-data.js';

type Options = { readonly limit: number; readonly json: boolean; readonly ops: string | null };

/** `assay inspect streams|events|projections`: only reads, also while a service is running. */
export const inspect = async (
  config: Config,
  what: string,
  stream: string | null,
  options: Options,
): Promise<void> => {
  if (!Number.isInteger(options.limit) || options.limit < 1) {
    throw new Fault('invalid', '--limit takes a whole number of at least 1');
  }
  switch (what) {
    case 'projections':
      return printRows(await projectionRows(config, options.ops), options.json);
    case 'streams':
    case 'events': {
      const { reader, close } = await openLogOf(config);
      try {
        const rows =
          what === 'streams'
            ? await streamRows(reader, options.limit)
            : await eventRows(reader, stream, options.limit);
        return printRows(rows, options.json);
      } finally {
        await close();
      }
    }
    default:
      throw new Fault('invalid', `inspect what? One of streams, events, projections; not ${what}`);
  }
};

const projectionRows = async (
  config: Config,
  ops: string | null,
): Promise<readonly PrintedRow[]> => {
  const desk = await operator(config, ops);
  try {
    return (await desk.status()).map(({ building, ...one }) => ({
      ...one,
      building: building === null ? null : `at ${building.position} of ${building.head}`,
    }));
  } finally {
    await desk.close();
  }
};

/** The newest streams first: those whose last event is latest in the log. */
const streamRows = async (reader: EventReader, limit: number): Promise<readonly PrintedRow[]> => {
  const streams = new Map<string, PrintedRow>();
  for await (const event of backwards(reader)) {
    if (streams.has(event.stream)) continue;
    streams.set(event.stream, {
      stream: event.stream,
      events: event.revision + 1,
      last_event: event.type,
      position: event.position,
      at: event.metadata.at,
    });
    if (streams.size === limit) break;
  }
  return [...streams.values()];
};

/** The last events of the log, or of one stream, newest first, and whether each fits its schema. */
const eventRows = async (
  reader: EventReader,
  stream: string | null,
  limit: number,
): Promise<readonly PrintedRow[]> => {
  const last = stream === null ? backwards(reader) : lastOf(reader, stream as StreamName, limit);
  const rows: PrintedRow[] = [];
  for await (const event of last) {
    rows.push(rowOf(event, stream !== null));
    if (rows.length === limit) break;
  }
  return rows;
};

const rowOf = (event: Recorded, showsData: boolean): PrintedRow => ({
  position: event.position,
  stream: event.stream,
  revision: event.revision,
  type: event.type,
  at: event.metadata.at,
  fits: nonconformities(event.type, event.data)[0] ?? 'yes',
  actor: `${event.metadata.actor.type} ${event.metadata.actor.id}`,
  request_id: event.metadata.request_id,
  ...(showsData && { data: JSON.stringify(shownData(event)).slice(0, 400) }),
});

async function* lastOf(
  reader: EventReader,
  stream: StreamName,
  limit: number,
): AsyncIterable<Recorded> {
  const last = await reader.last(stream);
  if (last === null) return;
  const from = Math.max(0, last.revision + 1 - limit);
  yield* [...(await reader.read(stream, { from }))].reverse();
}

/** Read at a time: some megabytes of large events. */
const stepEvents = 500;

async function* backwards(reader: EventReader): AsyncIterable<Recorded> {
  let before: Position | undefined;
  for (;;) {
    const events = await reader.tail(stepEvents, before);
    yield* [...events].reverse();
    before = events[0]?.position;
    if (before === undefined) return;
  }
}
