import type { RollUp, ColumnValue, RecordKind, RecordRow } from './record.js';
import type { StreamName } from '../ports.js';
import type { RecordSize, SessionTraces } from './query-plans.js';

// Outlines: the facts that rows of a trace need about each other, and a session about its traces,
// without their texts, so that an addition to something large costs only what is added.

/** Name, value, and roll-up method where the scorer set one (see MetricCell.method). */
export type OutlineNumber = readonly [name: string, value: number, method?: RollUp];

export type SpanOutline = {
  readonly ordinal: number;
  readonly kind: RecordKind;
  readonly id: string;
  /** `created_at`. */
  readonly at: string;
  /** Effective parent, under which the span is shown. */
  readonly parent: ColumnValue;
  /** Parent as sent, where it is not the effective one; otherwise absent. */
  readonly sent?: string | null;
  readonly hasChildren: boolean;
  /** `duration_ns` where it is derived from the spans below (contract 3.4, rule 7). */
  readonly elapsed?: number;
  /** Own numbers. */
  readonly numbers: readonly OutlineNumber[];
};

export type TraceOutline = {
  readonly group: StreamName;
  /** Sort key of a session's traces: `created_at`, then the id. */
  readonly at: string;
  readonly isComplete: boolean;
  readonly annotators: readonly string[];
  /** Numbers that roll up to its session: its own, and the roll-ups of its spans. */
  readonly numbers: readonly OutlineNumber[];
};

export type SessionScope = { readonly project: string; readonly session: string };
export type OutlineSelection = {
  /** Exclusive cursor: only those beyond this `at`; null = from the beginning. */
  readonly after: string | null;
  readonly order: 'first' | 'last';
  /** Excludes the traces of these groups. */
  readonly except: readonly StreamName[];
  readonly limit: number;
};

/** Plan of `Records.tracesOfSessions`. */
export type TracesOfSessionsPlan = {
  readonly project: string;
  readonly sessions: readonly string[];
  readonly tracesMax: number;
};

/**
 * Takes sessions in order until their traces exceed the limit (always at least one), by the number
 * of traces of each; one without traces is not in `counts`.
 */
export const sessionsWithinLimit = (
  sessions: readonly string[],
  counts: ReadonlyMap<string, number>,
  tracesMax: number,
): readonly string[] => {
  let left = tracesMax;
  const end = sessions.findIndex((session, at) => {
    left -= counts.get(session) ?? 0;
    return left < 0 && at > 0;
  });
  return end < 0 ? sessions : sessions.slice(0, end);
};

/** Groups traces, each with its session, into the result of `tracesOfSessions`. */
export const groupBySession = (
  sessions: readonly string[],
  traces: readonly (readonly [session: string, trace: RecordSize])[],
): readonly SessionTraces[] => {
  const found = new Map<string, RecordSize[]>(sessions.map((session) => [session, []]));
  for (const [session, trace] of traces) found.get(session)?.push(trace);
  return [...found].map(([session, theirs]) => ({ session, traces: theirs }));
};

export const spanOutline = (row: RecordRow): SpanOutline => {
  const { ordinal, kind, values, metrics, body } = row;
  const sent = body['parent_id'] as string | null | undefined;
  const elapsed = elapsedOf(row);
  const own = Object.entries(metrics).filter(([, { rolledUp }]) => !rolledUp);
  return {
    ordinal,
    kind,
    id: String(values['id']),
    at: String(values['created_at']),
    parent: values['parent_id'] ?? null,
    ...(sent !== undefined && { sent }),
    hasChildren: values['has_children'] === true,
    ...(elapsed !== undefined && { elapsed }),
    numbers: numbersOf(own, () => undefined),
  };
};

export const elapsedOf = ({ metrics: { duration_ns: cell } }: RecordRow): number | undefined =>
  cell?.rolledUp === true && typeof cell.value === 'number' ? cell.value : undefined;

export const traceOutline = (row: RecordRow): TraceOutline => ({
  group: row.group,
  at: `${String(row.values['created_at'])} ${String(row.values['id'])}`,
  isComplete: row.values['is_complete'] === true,
  annotators: row.annotators,
  numbers: numbersOf(Object.entries(row.metrics), ({ rollUp }) => rollUp),
});

const numbersOf = (
  metrics: readonly (readonly [string, RecordRow['metrics'][string]])[],
  other: (cell: RecordRow['metrics'][string]) => number | undefined,
): readonly OutlineNumber[] =>
  metrics.flatMap(([name, cell]): OutlineNumber[] => {
    const value = typeof cell.value === 'number' ? cell.value : other(cell);
    if (value === undefined) return [];
    return [cell.method === undefined ? [name, value] : [name, value, cell.method]];
  });

/**
 * Outline that an engine stores with a span or trace for `spanOutlines` and `traceOutlines`; null
 * for a session.
 */
export const storedOutline = (row: RecordRow): string | null => {
  if (row.kind === 'session') return null;
  return JSON.stringify(row.kind === 'trace' ? traceOutline(row) : spanOutline(row));
};
