import { userInfo } from 'node:os';
import { pluralize, Fault } from '../kernel/fault.js';
import type { EventReader, StoredEvent } from '../kernel/ports.js';
import type { Json } from '../kernel/schema-types.js';
import type { Config } from '../config.js';
import type { ParkedStream } from '../projections/parking.js';
import { openReadOnlyLog } from '../service/log-reader.js';
import { openOperatorSession } from './operator-session.js';
import { printRows, type PrintedRow } from '../tools/terminal/print-rows.js';
import { maskedData } from './masked-data.js';

export type ParkedOptions = {
  /** The read model; default: all. */
  readonly in?: string;
  readonly json?: true;
  readonly ops?: string;
};
export type DecisionOptions = ParkedOptions & {
  readonly in: string;
  readonly reason: string;
  readonly as?: string;
};

/** `assay parked list`: the streams that read models have parked. */
export const listParked = async (config: Config, options: ParkedOptions): Promise<void> => {
  const rows = (await parkedStreams(config, options)).map(rowOf);
  if (rows.length === 0 && options.json !== true) process.stdout.write('nothing is parked\n');
  else printRows(rows, options.json === true);
};

const rowOf = (one: ParkedStream): PrintedRow => ({
  read_model: one.projection,
  stream: one.stream,
  revision: one.revision,
  event: one.event_type,
  attempts: one.attempts,
  parked_at: one.parked_at,
  reason: one.reason,
});

/** `assay parked show STREAM`: the poison event, its error, and the events waiting behind it. */
export const showParked = async (
  config: Config,
  stream: string,
  options: ParkedOptions,
): Promise<void> => {
  const parked = (await parkedStreams(config, options)).filter((one) => one.stream === stream);
  if (parked.length === 0) {
    const who = options.in === undefined ? 'no read model has' : `${options.in} has not`;
    throw new Fault('not-found', `${who} parked ${stream}; see: assay parked list`);
  }
  const { reader, close } = await openReadOnlyLog(config);
  try {
    for (const one of parked) {
      const shown = { parked: one, ...(await readParkedEvent(reader, one)) };
      process.stdout.write(
        `${options.json === true ? JSON.stringify(shown) : parkedReport(shown)}\n`,
      );
    }
  } finally {
    await close();
  }
};

const parkedStreams = async (
  config: Config,
  { in: name, ops }: ParkedOptions,
): Promise<readonly ParkedStream[]> => {
  const desk = await openOperatorSession(config, ops ?? null);
  try {
    return (await desk.parked()).filter((one) => name === undefined || one.projection === name);
  } finally {
    await desk.close();
  }
};

type ParkedStreamDetails = {
  readonly parked: ParkedStream;
  /** Null: erased meanwhile. */
  readonly event: Pick<StoredEvent, 'id' | 'position' | 'metadata'> & { readonly data: Json };
  readonly waiting: { readonly events: number; readonly first: readonly PrintedRow[] };
};

/** Waiting events that are shown; all are counted. */
const shownMax = 10;

const readParkedEvent = async (
  reader: EventReader,
  { stream, revision }: ParkedStream,
): Promise<{
  readonly event: ParkedStreamDetails['event'] | null;
  readonly waiting: ParkedStreamDetails['waiting'];
}> => {
  const first: PrintedRow[] = [];
  let event: ParkedStreamDetails['event'] | null = null;
  let events = 0;
  for await (const portion of reader.portions(stream, { from: revision })) {
    for (const one of portion) {
      if (one.revision === revision) {
        const { id, position, metadata } = one;
        event = { id, position, metadata, data: maskedData(one) };
        continue;
      }
      events += 1;
      const { type, position, metadata } = one;
      if (first.length < shownMax) {
        first.push({ revision: one.revision, type, position, at: metadata.at });
      }
    }
  }
  return { event, waiting: { events, first } };
};

/** Data of an event in a terminal; `--json` has all of it. */
const dataMax = 2_000;

const parkedReport = ({
  parked,
  event,
  waiting,
}: Awaited<ReturnType<typeof readParkedEvent>> & {
  readonly parked: ParkedStream;
}): string => {
  const attempts = pluralize(parked.attempts, 'attempt');
  const more = waiting.events - waiting.first.length;
  const lines: readonly (readonly [string, string])[] = [
    ['parked', `${parked.stream} at revision ${parked.revision} in ${parked.projection}`],
    ['since', `${parked.parked_at}, ${attempts}`],
    ['reason', parked.reason],
    ...(parked.frames ?? []).map((frame, at) => [at === 0 ? 'fold' : '', frame] as const),
    ...(event === null
      ? [['event', `${parked.event_type} ${parked.event_id ?? ''} (erased)`] as const]
      : [
          ['event', `${parked.event_type} ${event.id} at ${event.position}`] as const,
          ['by', authorText(event.metadata)] as const,
          ['data', JSON.stringify(event.data).slice(0, dataMax)] as const,
        ]),
    ['waiting', `${pluralize(waiting.events, 'later event')} of the stream`],
    ...waiting.first.map((row) => ['', `${row['revision']} ${row['type']} ${row['at']}`] as const),
    ...(more > 0 ? [['', `and ${more} more`] as const] : []),
  ];
  return lines.map(([name, text]) => `${name.padEnd(8)} ${text}`).join('\n');
};

const authorText = ({ actor, at, request_id }: StoredEvent['metadata']): string =>
  `${actor.type} ${actor.id}, ${at}, request ${request_id}`;

/**
 * `assay parked retry|skip STREAM`: recorded in the log, then applied; exit 1 when the stream is
 * parked again.
 */
export const decideParked = async (
  config: Config,
  what: 'retry' | 'skip',
  stream: string,
  options: DecisionOptions,
): Promise<void> => {
  const { in: projection, reason, ops = null } = options;
  const who = options.as ?? userInfo().username;
  if ([reason, who].some((text) => text.trim() === '')) {
    throw new Fault('invalid', '--reason and --as take some text');
  }
  const desk = await openOperatorSession(config, ops);
  try {
    const ruled = await desk.decideParked(what, { projection, stream, reason, operator: who });
    if (ruled.parked !== null) process.exitCode = 1;
    if (options.json === true) process.stdout.write(`${JSON.stringify(ruled)}\n`);
    else process.stdout.write(`${decisionReport(what, ruled)}\n`);
  } finally {
    await desk.close();
  }
};

const decisionReport = (
  what: 'retry' | 'skip',
  { projection, stream, revision, parked }: Awaited<ReturnType<ParkedSession['decideParked']>>,
): string => {
  const did = what === 'skip' ? `skipped revision ${revision} of` : 'retried';
  return parked === null
    ? `${did} ${stream} in ${projection}: it is folded to its end`
    : `${did} ${stream} in ${projection}: parked again at revision ${parked.revision}, ` +
        `${parked.event_type}: ${parked.reason}`;
};
type ParkedSession = Awaited<ReturnType<typeof openOperatorSession>>;
