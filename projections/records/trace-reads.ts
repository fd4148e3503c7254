import type { TraceEvent } from '../../events/traces.js';
import { boundedMap, type BoundedMap } from '../../kernel/bounded-map.js';
import { utf8ByteLength } from '../../kernel/code-points.js';
import {
  streamNameOf,
  type Decode,
  type EventReader,
  type Position,
  type StoredEvent,
  type StreamName,
} from '../../kernel/ports.js';
import { otelMapping, type OtelMapping } from '../../kernel/otel/mapping.js';
import { throwIfAborted } from '../../kernel/query-context.js';
import type { GroupPlan, StoredGroup } from '../../kernel/records/query-plans.js';
import type { RecordRow } from '../../kernel/records/record.js';
import type { RecordQueries } from '../../kernel/records/record-queries.js';
import type { RecordFolding } from '../../kernel/records/records.js';
import { decodeEvent } from '../page-reader.js';
import { requireReadable } from '../read-model.js';
import { tombstoneTypes } from '../tombstones.js';
import { foldTrace } from './fold-trace.js';

type Needs = {
  readonly records: Pick<RecordFolding, 'checkpoint'> &
    Pick<RecordQueries, 'findGroup' | 'groupRows'>;
  /** The log as stored, on this machine: over a network a query of the read model costs less. */
  readonly reader: Pick<EventReader, 'portions' | 'last'>;
  readonly decode: Decode;
  /** False if the read model has parked the stream, or skipped an event of it. */
  readonly followsLog: (stream: StreamName) => boolean;
  readonly mapping?: OtelMapping;
};

/**
 * `RecordQueries.groupRows` by folding the stream of the trace up to the checkpoint of the read
 * model, so that the rows equal those of the read model (D-227). Costs one look-up and one fold,
 * where the read model plans and schedules several statements. Holds one portion of a stream at a
 * time: the read model answers for longer ones, for streams that it does not fold as logged, and
 * where the stream cannot be read or folded.
 */
export const groupRowsFromLog = (needs: Needs): RecordQueries['groupRows'] => {
  const { records } = needs;
  const longStreams = boundedMap<StreamName, true>(longStreamsMax);
  return async (plan, context = {}) => {
    // More than a usual answer was reserved: the trace is known to be large.
    if (plan.bytesMax > loggedBytesMax) return records.groupRows(plan, context);
    const group =
      plan.population === 'trace'
        ? streamNameOf('trace', plan.project, plan.id)
        : await records.findGroup(plan.project, plan.population, plan.id, context);
    if (group === null) return null;
    throwIfAborted(context);
    const rows = await foldedRows(needs, group, longStreams);
    return rows === null ? records.groupRows(plan, context) : storedGroup(group, rows, plan);
  };
};

/** Largest answer that is folded from the log: a portion may be one event of almost 1 MiB. */
const loggedBytesMax = 1_048_576;
/** Streams known to be longer than a portion, some 200 bytes each: they never become shorter. */
const longStreamsMax = 10_000;

/** All rows of the trace, none if the project has no such trace; null: the read model answers. */
const foldedRows = async (
  { records, reader, decode, followsLog, mapping = otelMapping }: Needs,
  group: StreamName,
  longStreams: BoundedMap<StreamName, true>,
): Promise<readonly RecordRow[] | null> => {
  if (!followsLog(group) || longStreams.get(group) === true) return null;
  const through = await records.checkpoint();
  try {
    const events = await onlyPortion(reader.portions(group));
    if (events === null) {
      longStreams.set(group, true);
      return null;
    }
    const readable = events
      .filter(({ position }) => position <= through)
      .map((event) => requireReadable(decodeEvent(event, decode)));
    const rows = foldTrace([], readable as unknown as readonly StoredEvent<TraceEvent>[], mapping);
    const [head] = rows;
    return head === undefined || (await isOfDeletedRun(reader, head, through)) ? [] : rows;
  } catch {
    // A damaged log, which its reader reports, or a poison event, which the projector reports.
    return null;
  }
};

/** The stream's events if one portion has them all, else null; none when it was erased. */
const onlyPortion = async (
  portions: AsyncIterable<readonly StoredEvent[]>,
): Promise<readonly StoredEvent[] | null> => {
  let only: readonly StoredEvent[] = [];
  for await (const events of portions) {
    if (events.length > 0 && only.length > 0) return null;
    only = events;
  }
  return only;
};

/** True if the record's run was deleted up to this position, or erased. */
const isOfDeletedRun = async (
  reader: Pick<EventReader, 'last'>,
  { values }: RecordRow,
  through: Position,
): Promise<boolean> => {
  const last = await reader.last(streamNameOf('run', String(values['run_id'])));
  if (last === null) return true;
  return last.position <= through && (tombstoneTypes as readonly string[]).includes(last.type);
};

const storedGroup = (
  group: StreamName,
  rows: readonly RecordRow[],
  { population, id, bytesMax, alone }: GroupPlan,
): StoredGroup | null => {
  const record = rows.find(({ kind, values }) =>
    population === 'trace' ? kind === 'trace' : kind !== 'trace' && values['id'] === id,
  );
  if (record === undefined) return null;
  const wanted = alone === true ? [record] : rows;
  const bytes = wanted.reduce((sum, row) => sum + utf8ByteLength(JSON.stringify(row)), 0);
  return { group, bytes, rows: bytes > bytesMax ? null : wanted };
};
