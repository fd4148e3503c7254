import { eventSchemas } from '../events/all.js';
import { Fault } from '../kernel/fault.js';
import type { EventReader, StreamName } from '../kernel/ports.js';
import { engineChoiceOf, type Config } from '../config.js';
import { openHistoryReader } from '../ledger/reader.js';
import {
  findEvent,
  eventRow,
  followEvents,
  lastEvents,
  printEvent,
  type EventFilter,
} from './events.js';
import { openReadOnlyLog } from '../service/log-reader.js';
import { eventsBackwards, hasData } from './log-scan.js';
import { openOperatorSession } from './operator-session.js';
import { proveEvent } from '../ledger/event-proof.js';
import { printRows, type PrintedRow } from '../tools/terminal/print-rows.js';

type Options = EventFilter & {
  readonly limit: number;
  readonly json: boolean;
  readonly ops: string | null;
  readonly follow: boolean;
  /** With one event: its position in the sealed history. */
  readonly proof: boolean;
};

const inspectSubjects = ['streams', 'stream', 'events', 'event', 'projections'] as const;

/** `assay inspect …`: read-only, also while a service is running. */
export const inspect = async (
  config: Config,
  what: string,
  name: string | null,
  options: Options,
): Promise<void> => {
  if (what === 'projections') {
    return printRows(await projectionRows(config, options.ops), options.json);
  }
  if (!(inspectSubjects as readonly string[]).includes(what)) {
    throw new Fault('invalid', `inspect what? One of ${inspectSubjects.join(', ')}; not ${what}`);
  }
  if (name === null && ['stream', 'event'].includes(what)) {
    throw new Fault('invalid', `inspect which ${what}? Say its ${subjectArguments[what]}`);
  }
  if (options.proof) return inspectProof(config, what, name ?? '', options.json);
  const { reader, close } = await openReadOnlyLog(config);
  try {
    await inspectLog(reader, what as (typeof inspectSubjects)[number], name, options);
  } finally {
    await close();
  }
};
const subjectArguments: Readonly<Record<string, string>> = {
  stream: 'name',
  event: 'id or position',
};

const inspectProof = async (
  config: Config,
  what: string,
  name: string,
  json: boolean,
): Promise<void> => {
  if (what !== 'event') throw new Fault('invalid', '--proof is of one event: assay inspect event');
  const history = await openHistoryReader(engineChoiceOf(config));
  try {
    const event = await findEvent(history.log, name);
    const proven = await proveEvent(history, event);
    if (proven.holds !== 'yes') process.exitCode = 1;
    printEvent(event, json, proven);
  } finally {
    await history.close();
  }
};

const inspectLog = async (
  reader: EventReader,
  what: (typeof inspectSubjects)[number],
  name: string | null,
  options: Options,
): Promise<void> => {
  if (what === 'streams') return printRows(await streamRows(reader, options.limit), options.json);
  if (what === 'event') return printEvent(await findEvent(reader, name ?? ''), options.json);
  const stream = name as StreamName | null;
  const head = await reader.head();
  const last = await lastEvents(reader, stream, options, options.limit);
  const unknown = (options.types ?? []).filter((type) => !Object.hasOwn(eventSchemas, type));
  if (last.length === 0 && unknown.length > 0) {
    process.stderr.write(`This program knows no event that is called ${unknown.join(', ')}.\n`);
  }
  if (last.length === 0 && stream !== null && !options.follow) await requireStream(reader, stream);
  const rows = last.map((event) => eventRow(event, stream !== null));
  // Following and reading one stream print downwards.
  const isUpwards = what === 'events' && !options.follow;
  printRows(isUpwards ? [...rows].reverse() : rows, options.json);
  if (!options.follow) return;
  const seen = last.at(-1)?.position;
  const after = seen !== undefined && seen > head ? seen : head;
  await followEvents(reader, { after, stream, filter: options }, options.json);
};

/** Throws Fault `not-found` unless the log has events of that stream, or traces of erased ones. */
const requireStream = async (reader: EventReader, stream: StreamName): Promise<void> => {
  const any = await lastEvents(reader, stream, { organization: null, types: null, since: null }, 1);
  if (any.length > 0) return;
  throw new Fault('not-found', `the log has no stream ${stream}; assay inspect streams lists them`);
};

const projectionRows = async (
  config: Config,
  ops: string | null,
): Promise<readonly PrintedRow[]> => {
  const desk = await openOperatorSession(config, ops);
  try {
    return (await desk.status()).map(({ building, ...one }) => ({
      ...one,
      building: building === null ? null : `at ${building.position} of ${building.head}`,
    }));
  } finally {
    await desk.close();
  }
};

/** Streams with the newest last event first. */
const streamRows = async (reader: EventReader, limit: number): Promise<readonly PrintedRow[]> => {
  const streams = new Map<string, PrintedRow>();
  for await (const event of eventsBackwards(reader)) {
    if (streams.has(event.stream)) continue;
    streams.set(event.stream, {
      stream: event.stream,
      events: event.revision + 1,
      last_event: hasData(event) ? event.type : `${event.type} (erased)`,
      position: event.position,
      at: event.metadata.at,
    });
    if (streams.size === limit) break;
  }
  return [...streams.values()];
};
