import { userInfo } from 'node:os';
import { counted, Fault } from '../kernel/fault.js';
import type { EventReader, Recorded } from '../kernel/ports.js';
import type { Json } from '../kernel/shapes.js';
import type { Config } from '../config.js';
import type { ParkedStream } from '../projections/parking.js';
import { openLogOf } from '../service/read-log.js';
import { operator } from './operator.js';
import { printRows, type PrintedRow } from './rows.js';
import { shownData } from './shown-data.js';

export type ParkedOptions = {
  /** The read model that is meant; without one all are. */
  readonly in?: string;
  readonly json?: true;
  readonly ops?: string;
};
export type RulingOptions = ParkedOptions & {
  readonly in: string;
  readonly reason: string;
  readonly as?: string;
};

/** `assay parked list`: the streams that read models have set aside. */
export const listParked = async (config: Config, options: ParkedOptions): Promise<void> => {
  const rows = (await parkedIn(config, options)).map(rowOf);
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

/** `assay parked show STREAM`: where it stands still, why, and what waits behind it. */
export const showParked = async (
  config: Config,
  stream: string,
  options: ParkedOptions,
): Promise<void> => {
  const parked = (await parkedIn(config, options)).filter((one) => one.stream === stream);
  if (parked.length === 0) {
    const who = options.in === undefined ? 'no read model has' : `${options.in} has not`;
    throw new Fault('not-found', `${who} parked ${stream}; see: assay parked list`);
  }
  const { reader, close } = await openLogOf(config);
  try {
    for (const one of parked) {
      const shown = { parked: one, ...(await lookedUp(reader, one)) };
      process.stdout.write(`${options.json === true ? JSON.stringify(shown) : told(shown)}\n`);
    }
  } finally {
    await close();
  }
};

const parkedIn = async (
  config: Config,
  { in: name, ops }: ParkedOptions,
): Promise<readonly ParkedStream[]> => {
  const desk = await operator(config, ops ?? null);
  try {
    return (await desk.parked()).filter((one) => name === undefined || one.projection === name);
  } finally {
    await desk.close();
  }
};

type Shown = {
  readonly parked: ParkedStream;
  /** Null: it was erased meanwhile. */
  readonly event: Pick<Recorded, 'id' | 'position' | 'metadata'> & { readonly data: Json };
  readonly waiting: { readonly events: number; readonly first: readonly PrintedRow[] };
};

/** Of what waits, more are counted than shown. */
const shownMax = 10;

const lookedUp = async (
  reader: EventReader,
  { stream, revision }: ParkedStream,
): Promise<{ readonly event: Shown['event'] | null; readonly waiting: Shown['waiting'] }> => {
  const first: PrintedRow[] = [];
  let event: Shown['event'] | null = null;
  let events = 0;
  for await (const portion of reader.portions(stream, { from: revision })) {
    for (const one of portion) {
      if (one.revision === revision) {
        const { id, position, metadata } = one;
        event = { id, position, metadata, data: shownData(one) };
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

const told = ({
  parked,
  event,
  waiting,
}: Awaited<ReturnType<typeof lookedUp>> & {
  readonly parked: ParkedStream;
}): string => {
  const attempts = counted(parked.attempts, 'attempt');
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
          ['by', byOf(event.metadata)] as const,
          ['data', JSON.stringify(event.data).slice(0, dataMax)] as const,
        ]),
    ['waiting', `${counted(waiting.events, 'later event')} of the stream`],
    ...waiting.first.map((row) => ['', `${row['revision']} ${row['type']} ${row['at']}`] as const),
    ...(more > 0 ? [['', `and ${more} more`] as const] : []),
  ];
  return lines.map(([name, text]) => `${name.padEnd(8)} ${text}`).join('\n');
};

const byOf = ({ actor, at, request_id }: Recorded['metadata']): string =>
  `${actor.type} ${actor.id}, ${at}, request ${request_id}`;

/**
 * `assay parked retry|skip STREAM`: recorded in the log, then done; exit 1 when the stream is
 * parked again.
 */
export const ruleOnParked = async (
  config: Config,
  what: 'retry' | 'skip',
  stream: string,
  options: RulingOptions,
): Promise<void> => {
  const { in: projection, reason, ops = null } = options;
  const who = options.as ?? userInfo().username;
  if ([reason, who].some((text) => text.trim() === '')) {
    throw new Fault('invalid', '--reason and --as take some text');
  }
  const desk = await operator(config, ops);
  try {
    const ruled = await desk.rule(what, { projection, stream, reason, operator: who });
    if (ruled.parked !== null) process.exitCode = 1;
    if (options.json === true) process.stdout.write(`${JSON.stringify(ruled)}\n`);
    else process.stdout.write(`${outcomeOf(what, ruled)}\n`);
  } finally {
    await desk.close();
  }
};

const outcomeOf = (
  what: 'retry' | 'skip',
  { projection, stream, revision, parked }: Awaited<ReturnType<Desk['rule']>>,
): string => {
  const did = what === 'skip' ? `skipped revision ${revision} of` : 'retried';
  return parked === null
    ? `${did} ${stream} in ${projection}: it is folded to its end`
    : `${did} ${stream} in ${projection}: parked again at revision ${parked.revision}, ` +
        `${parked.event_type}: ${parked.reason}`;
};
type Desk = Awaited<ReturnType<typeof operator>>;
