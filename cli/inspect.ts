import { eventSchemas } from '../events/all.js';
import { Fault } from '../kernel/fault.js';
import type { EventReader, StreamName } from '../kernel/ports.js';
import { choiceOf, type Config } from '../config.js';
import { openHistory } from './audit-history.js';
import { eventBy, eventRow, follow, lastEvents, printEvent, type EventsWanted } from './events.js';
import { openLogOf } from '../service/read-log.js';
import { backwards, isWhole } from './log-walk.js';
import { operator } from './operator.js';
import { provenEvent } from './proven.js';
import { printRows, type PrintedRow } from './rows.js';

type Options = EventsWanted & {
  readonly limit: number;
  readonly json: boolean;
  readonly ops: string | null;
  readonly follow: boolean;
  /** Of one event: its place in the sealed history. */
  readonly proof: boolean;
};

const things = ['streams', 'stream', 'events', 'event', 'projections'] as const;

/** `assay inspect …`: only reads, also while a service is running. */
export const inspect = async (
  config: Config,
  what: string,
  name: string | null,
  options: Options,
): Promise<void> => {
  if (what === 'projections') {
    return printRows(await projectionRows(config, options.ops), options.json);
  }
  if (!(things as readonly string[]).includes(what)) {
    throw new Fault('invalid', `inspect what? One of ${things.join(', ')}; not ${what}`);
  }
  if (name === null && ['stream', 'event'].includes(what)) {
    throw new Fault('invalid', `inspect which ${what}? Say its ${whichOf[what]}`);
  }
  if (options.proof) return inspectProof(config, what, name ?? '', options.json);
  const { reader, close } = await openLogOf(config);
  try {
    await inspectLog(reader, what as (typeof things)[number], name, options);
  } finally {
    await close();
  }
};
const whichOf: Readonly<Record<string, string>> = { stream: 'name', event: 'id or position' };

const inspectProof = async (
  config: Config,
  what: string,
  name: string,
  json: boolean,
): Promise<void> => {
  if (what !== 'event') throw new Fault('invalid', '--proof is of one event: assay inspect event');
  const history = await openHistory(choiceOf(config));
  try {
    const event = await eventBy(history.log, name);
    const proven = await provenEvent(history, event);
    if (proven.holds !== 'yes') process.exitCode = 1;
    printEvent(event, json, proven);
  } finally {
    await history.close();
  }
};

const inspectLog = async (
  reader: EventReader,
  what: (typeof things)[number],
  name: string | null,
  options: Options,
): Promise<void> => {
  if (what === 'streams') return printRows(await streamRows(reader, options.limit), options.json);
  if (what === 'event') return printEvent(await eventBy(reader, name ?? ''), options.json);
  const stream = name as StreamName | null;
  const head = await reader.head();
  const last = await lastEvents(reader, stream, options, options.limit);
  const unknown = (options.types ?? []).filter((type) => !Object.hasOwn(eventSchemas, type));
  if (last.length === 0 && unknown.length > 0) {
    process.stderr.write(`This program knows no event that is called ${unknown.join(', ')}.\n`);
  }
  if (last.length === 0 && stream !== null && !options.follow) await requireStream(reader, stream);
  const rows = last.map((event) => eventRow(event, stream !== null));
  // Who follows, and who reads one stream, reads on downwards.
  const isUpwards = what === 'events' && !options.follow;
  printRows(isUpwards ? [...rows].reverse() : rows, options.json);
  if (!options.follow) return;
  const seen = last.at(-1)?.position;
  const after = seen !== undefined && seen > head ? seen : head;
  await follow(reader, { after, stream, wanted: options }, options.json);
};

/** Throws Fault `not-found` where the log has no event of that stream, nor what stayed of one. */
const requireStream = async (reader: EventReader, stream: StreamName): Promise<void> => {
  const any = await lastEvents(reader, stream, { organization: null, types: null, since: null }, 1);
  if (any.length > 0) return;
  throw new Fault('not-found', `the log has no stream ${stream}; assay inspect streams lists them`);
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
      last_event: isWhole(event) ? event.type : `${event.type} (erased)`,
      position: event.position,
      at: event.metadata.at,
    });
    if (streams.size === limit) break;
  }
  return [...streams.values()];
};
