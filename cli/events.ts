import { decodeChecked } from '../events/schema-conformance.js';
import { systemClock } from '../engines/node/clock.js';
import { Fault } from '../kernel/fault.js';
import type { EventReader, Position, StreamName } from '../kernel/ports.js';
import {
  eventsBackwards,
  newEvents,
  hasData,
  lastEventsOf,
  type ScannedEvent,
} from './log-scan.js';
import { proofRows, type EventProof } from '../ledger/event-proof.js';
import { printRows, type PrintedRow } from '../tools/terminal/print-rows.js';
import { maskedData } from './masked-data.js';
import { escapeControls } from '../tools/terminal/terminal-escape.js';

/** Filter of events; null: any. */
export type EventFilter = {
  readonly types: readonly string[] | null;
  /** Organisation as events name it: older events without one do not match. */
  readonly organization: string | null;
  /** Position or date-time from which events match. */
  readonly since: string | null;
};

/** Placeholder for erased content. */
const erasedMark = '(erased)';
const positionForm = /^[0-9a-f]{16}$/;
const idForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The last events that match, of one stream or of the whole log, in log order. */
export const lastEvents = async (
  reader: EventReader,
  stream: StreamName | null,
  wanted: EventFilter,
  limit: number,
): Promise<readonly ScannedEvent[]> => {
  const isWanted = matcherOf(wanted);
  if (stream !== null) {
    const isFiltered = Object.values(wanted).some((one) => one !== null);
    const events = await lastEventsOf(reader, stream, isFiltered ? Infinity : limit);
    return events.filter(isWanted).slice(-limit);
  }
  const found: ScannedEvent[] = [];
  let older = 0;
  for await (const event of eventsBackwards(reader)) {
    older = isNotBefore(event, wanted.since) ? 0 : older + 1;
    if (older > olderMax || found.length === limit) break;
    if (isWanted(event)) found.push(event);
  }
  return found.reverse();
};
/** Several writers append instants only nearly in log order, so the search goes on this far. */
const olderMax = 1_000;

const isNotBefore = ({ position, metadata }: ScannedEvent, since: string | null): boolean => {
  if (since === null) return true;
  if (positionForm.test(since)) return position >= since;
  return Date.parse(metadata.at) >= Date.parse(since);
};

const matcherOf = ({
  types,
  organization,
  since,
}: EventFilter): ((event: ScannedEvent) => boolean) => {
  if (since !== null && !positionForm.test(since) && Number.isNaN(Date.parse(since))) {
    throw new Fault('invalid', `--since takes a position or a date-time, not ${since}`);
  }
  return (event) =>
    (types === null || types.includes(event.type)) &&
    (organization === null || event.metadata.organization_id === organization) &&
    isNotBefore(event, since);
};

/** One row of a table. `showsData`: with the data, cut for a terminal. */
export const eventRow = (event: ScannedEvent, showsData: boolean): PrintedRow => ({
  position: event.position,
  stream: event.stream,
  revision: event.revision,
  type: event.type,
  at: event.metadata.at,
  fits: fittedData(event),
  actor: `${event.metadata.actor.type} ${event.metadata.actor.id}`,
  request_id: event.metadata.request_id,
  ...(showsData && {
    data: hasData(event) ? JSON.stringify(maskedData(event)).slice(0, dataMax) : erasedMark,
  }),
});
const dataMax = 400;

const fittedData = (event: ScannedEvent): string => {
  if (!hasData(event)) return erasedMark;
  try {
    decodeChecked(event.type, event.metadata.schema, event.data);
    return 'yes';
  } catch (error) {
    return (error as Error).message;
  }
};

/** The event with this id or at this position; throws Fault `not-found`. */
export const findEvent = async (reader: EventReader, place: string): Promise<ScannedEvent> => {
  const wanted = place.toLowerCase();
  const isPosition = positionForm.test(wanted);
  if (!isPosition && !idForm.test(wanted)) {
    throw new Fault('invalid', `inspect which event? An id or a position, not ${place}`);
  }
  for await (const event of eventsBackwards(reader)) {
    if (event.id === wanted || event.position === wanted) return event;
    if (isPosition && event.position < wanted) break;
  }
  throw new Fault('not-found', `the log has no event ${place}`);
};

/** Prints an event without its salt, and its proof if given. */
export const printEvent = (
  event: ScannedEvent,
  json: boolean,
  proven: EventProof | null = null,
): void => {
  const { id, position, stream, revision, type, metadata, digest } = event;
  const { schema, at, organization_id = null, ...author } = metadata;
  const data = hasData(event) ? maskedData(event) : erasedMark;
  const shown = { id, position, stream, revision, type, schema, at, organization_id, ...author };
  const fits = fittedData(event);
  if (json) {
    process.stdout.write(
      `${JSON.stringify({ ...shown, digest, fits, data, ...(proven && { history: proven }) })}\n`,
    );
    return;
  }
  const { actor } = metadata;
  const lines: Readonly<Record<string, string>> = {
    position: `${position}, ${at}`,
    event: `${type} ${schema}, ${id}`,
    stream: `${stream}, revision ${revision}`,
    actor: `${actor.type} ${actor.id}, ${actor.role}`,
    organization: organization_id ?? '–',
    request: metadata.request_id,
    correlation: metadata.correlation_id,
    causation: metadata.causation_id ?? '–',
    digest,
    fits,
    data: hasData(event) ? `\n${JSON.stringify(data, null, 2)}` : erasedMark,
    ...(proven && proofRows(proven)),
  };
  for (const [name, value] of Object.entries(lines)) {
    process.stdout.write(`${name.padEnd(13)} ${escapeControls(value)}\n`);
  }
};

/** Prints events after `after`, a line each, until SIGINT or SIGTERM. */
export const followEvents = async (
  reader: EventReader,
  { after, stream, filter: wanted }: FollowOptions,
  json: boolean,
): Promise<void> => {
  const told = new AbortController();
  const stop = (): void => told.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const isWanted = matcherOf(wanted);
  // A pending log read alone does not keep the process alive.
  void systemClock.wait(timerMaxMs, told.signal).then(stop);
  for await (const event of newEvents(reader, after, told.signal)) {
    if ((stream !== null && event.stream !== stream) || !isWanted(event)) continue;
    const row = eventRow(event, stream !== null);
    if (json) printRows([row], true);
    else process.stdout.write(`${escapeControls(Object.values(row).join('  '))}\n`);
  }
};
/** The longest timer of Node. */
const timerMaxMs = 2 ** 31 - 1;
type FollowOptions = {
  readonly after: Position;
  readonly stream: StreamName | null;
  readonly filter: EventFilter;
};
