import type { TraceEvent } from '../../events/traces.js';
import { otelMapping, type OtelMapping } from '../../kernel/otel/mapping.js';
import type { SpanOutline } from '../../kernel/records/outlines.js';
import type { StoredEvent, StreamName } from '../../kernel/ports.js';
import { overlapWeight } from '../../kernel/records/overlap-weight.js';
import type { InheritedMembers, GroupWrite, RecordFolding } from '../../kernel/records/records.js';
import type { RecordRow } from '../../kernel/records/record.js';
import { poison, requireReadable, type Poison } from '../read-model.js';
import { columnsOf } from './fresh-columns.js';
import { assignsSession } from './otel-rows.js';
import {
  foldOntoOutlines,
  foldTrace,
  rowInTree,
  spansToLoad,
  type ChangedTrace,
} from './fold-trace.js';

/** A batch's events of one stream: those that its group has not folded, without gaps. */
export type GroupEvents = {
  readonly name: StreamName;
  /** The group's first row; null = it has none. */
  readonly before: RecordRow | null;
  readonly events: readonly StoredEvent[];
};
type FoldedTrace = {
  readonly stream: GroupEvents;
  /** The first row; null: deleted, or fresh and outside sessions. */
  readonly after: RecordRow | null;
  /** Null: nothing changed. */
  readonly write: GroupWrite | null;
  readonly poisoned: Poison | null;
};

type Needs = Pick<RecordFolding, 'spanOutlines' | 'rowsByOrdinal'>;
export type FoldOptions = {
  readonly mapping?: OtelMapping;
  /** `rows`: fresh traces are folded like changed ones, to compare both ways. */
  readonly freshAs?: 'columns' | 'rows';
};

/**
 * Rows folded per tick of the event loop, so that other requests run in between; rows with text
 * comparisons count by their cost.
 */
const rowsPerTick = 250;

/** Folds traces: reads and writes of stored rows are proportional to what is added. */
export const foldTraces = async (
  records: Needs,
  streams: readonly GroupEvents[],
  { mapping = otelMapping, freshAs = 'columns' }: FoldOptions = {},
): Promise<readonly FoldedTrace[]> => {
  const grown = streams.filter(({ before, events }) => before !== null && events.length > 0);
  const spans = grown.length === 0 ? noSpans : await records.spanOutlines(grown.map(nameOf));
  const named = await loadNamedRows(records, grown, spans);
  const changed: (FoldOutcome & Pick<FoldedTrace, 'poisoned'>)[] = [];
  let rows = 0;
  for (const stream of streams) {
    const fresh = freshAs === 'columns' ? freshWrite(stream, mapping) : null;
    if (fresh === null) {
      const of = { spans: spans.get(stream.name) ?? [], named: named.get(stream.name) ?? [] };
      const folded = foldUpToPoison(stream.events, (some) => foldStream(stream, of, some, mapping));
      changed.push({ stream, fresh, ...folded });
      rows += costOf(folded.value?.rows ?? []);
    } else {
      changed.push({ stream, fresh, value: null, poisoned: null });
      rows += fresh.columns?.size ?? 0;
    }
    if (rows < rowsPerTick) continue;
    rows = 0;
    await new Promise((resolve) => setImmediate(resolve));
  }
  const moved = await loadMovedRows(records, changed);
  return changed.map(({ stream, fresh, value, poisoned }) => {
    const [after = null] = value === null ? [stream.before] : value.rows;
    const write = value === null ? fresh : writeOf(stream, value, moved.get(stream.name) ?? []);
    return { stream, after, write, poisoned };
  });
};

/**
 * Write of a trace whose only event is its first; null: it is folded to rows. So is an event that
 * cannot be folded, which finds the reason.
 */
const freshWrite = (
  { name, before, events }: GroupEvents,
  mapping: OtelMapping,
): GroupWrite | null => {
  const [event] = events;
  if (before !== null || event === undefined || events.length > 1) return null;
  try {
    const columns = columnsOf(event, mapping);
    if (columns === null) return null;
    let folded: readonly RecordRow[] | null = null;
    return {
      group: name,
      fresh: true,
      columns,
      get rows() {
        return (folded ??= foldTrace([], [event as StoredEvent<TraceEvent>], mapping));
      },
    };
  } catch {
    return null;
  }
};

/** Text comparison cost that equals folding one row (`overlapWeight`). */
const weightOfRow = 2_048;

/** Folding cost, in rows. */
const costOf = (rows: readonly RecordRow[]): number =>
  rows.reduce((cost, { values, body }) => {
    const { output, dataset_output: reference } = values;
    const isCompared = Array.isArray(body['overlap']) && body['overlap'].length > 0;
    if (!isCompared || typeof output !== 'string' || typeof reference !== 'string') return cost + 1;
    return cost + 1 + overlapWeight(output.length, reference.length) / weightOfRow;
  }, 0);

const noSpans: ReadonlyMap<StreamName, readonly SpanOutline[]> = new Map();
const nameOf = ({ name }: GroupEvents): StreamName => name;

/** Null: no events. */
const foldStream = (
  { before }: GroupEvents,
  known: { readonly spans: readonly SpanOutline[]; readonly named: readonly RecordRow[] },
  recorded: readonly StoredEvent[],
  mapping: OtelMapping,
): ChangedTrace | null => {
  if (recorded.length === 0) return null;
  const events = recorded.map(requireReadable) as unknown as readonly StoredEvent<TraceEvent>[];
  return before === null
    ? { rows: foldTrace([], events, mapping), moved: [], spans: [] }
    : foldOntoOutlines({ head: before, ...known }, events, mapping);
};

/**
 * Folds all events; if one fails, isolates it as the poison event and returns the fold of those
 * before it.
 */
export const foldUpToPoison = <T>(
  events: readonly StoredEvent[],
  fold: (events: readonly StoredEvent[]) => T,
): { readonly value: T; readonly poisoned: Poison | null } => {
  try {
    return { value: fold(events), poisoned: null };
  } catch (error) {
    let value = fold([]);
    for (let count = 1; count <= events.length; count += 1) {
      try {
        value = fold(events.slice(0, count));
      } catch (cause) {
        const failed = events[count - 1];
        if (failed !== undefined) return { value, poisoned: poison(failed, cause) };
      }
    }
    throw error;
  }
};

const loadNamedRows = async (
  records: Needs,
  streams: readonly GroupEvents[],
  spans: ReadonlyMap<StreamName, readonly SpanOutline[]>,
): Promise<ReadonlyMap<StreamName, readonly RecordRow[]>> => {
  const places = streams.map(({ name, before, events }) => {
    const all = spans.get(name) ?? [];
    const ids = spansToLoad(events);
    const isWhole = before !== null && assignsSession(before, events);
    const named = isWhole ? all : all.filter(({ id }) => ids.has(id));
    return { group: name, ordinals: named.map(({ ordinal }) => ordinal) };
  });
  return loadRows(records, places);
};

const loadRows = async (
  records: Needs,
  places: Parameters<RecordFolding['rowsByOrdinal']>[0],
): Promise<ReadonlyMap<StreamName, readonly RecordRow[]>> => {
  const wanted = places.filter(({ ordinals }) => ordinals.length > 0);
  const byGroup = new Map<StreamName, RecordRow[]>();
  for (const row of wanted.length === 0 ? [] : await records.rowsByOrdinal(wanted)) {
    const known = byGroup.get(row.group);
    if (known === undefined) byGroup.set(row.group, [row]);
    else known.push(row);
  }
  return byGroup;
};

type FoldOutcome = {
  readonly stream: GroupEvents;
  /** Set: written as columns, and `value` is null. */
  readonly fresh: GroupWrite | null;
  readonly value: ChangedTrace | null;
};

/** Rows of spans whose parent, first child or elapsed time changed. */
const loadMovedRows = async (
  records: Needs,
  changed: readonly FoldOutcome[],
): Promise<ReadonlyMap<StreamName, readonly RecordRow[]>> => {
  const places = changed.map(({ stream: { name }, value }) => ({
    group: name,
    ordinals: value === null ? [] : value.moved.map(({ ordinal }) => ordinal),
  }));
  const rows = await loadRows(records, places);
  return new Map(
    changed.map(({ stream: { name }, value }) => {
      const outlines = new Map(value?.moved.map((one) => [one.ordinal, one]));
      const [head] = value?.rows ?? [];
      const inPlace = (rows.get(name) ?? []).flatMap((row) => {
        const outline = outlines.get(row.ordinal);
        return outline === undefined || head === undefined ? [] : [rowInTree(row, outline, head)];
      });
      return [name, inPlace];
    }),
  );
};

const writeOf = (
  { name, before }: GroupEvents,
  { rows }: ChangedTrace,
  moved: readonly RecordRow[],
): GroupWrite | null => {
  const [head] = rows;
  if (before === null) return head === undefined ? null : { group: name, fresh: true, rows };
  if (head === undefined) return { group: name, fresh: false, rows };
  const partial = { inherited: copiesAfter(before, head) };
  return { group: name, fresh: false, rows: [...rows, ...moved], partial };
};

const copiesAfter = (before: RecordRow, after: RecordRow): InheritedMembers | null => {
  const [was, is] = [copiesOf(before), copiesOf(after)];
  const stays = was.isComplete === is.isComplete && was.annotators.join() === is.annotators.join();
  return stays ? null : is;
};

const copiesOf = ({ values, annotators }: RecordRow): InheritedMembers => ({
  isComplete: values['is_complete'] === true,
  annotators,
});
