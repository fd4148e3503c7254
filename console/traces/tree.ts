import { effectiveParents, siblingOrder, treeLevelsMax } from '../../kernel/records/span-tree.js';
import { canonicalInstant } from '../../kernel/uuid-and-instant.js';

/** The members of a span that its tree is made of, as `spans/search` answers them. */
export type TreeSpan = {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly parent_id?: string | null;
  readonly step_number?: number | null;
  readonly status_code?: number | null;
  readonly metrics?: Readonly<Record<string, unknown>>;
};

/** The trace that the spans are of. */
type TreeTrace = Pick<TreeSpan, 'id' | 'created_at' | 'metrics'>;

/**
 * Sums over a record and all below it; null: none of them has such a value. An own value stands for
 * all below it (contract 3.4, rule 4), so nothing counts twice.
 */
type SpanSums = {
  readonly cost: number | null;
  readonly tokens: number | null;
  /** Number of spans with a status code from 400 on. */
  readonly errors: number;
};

export type SpanRow<S extends TreeSpan> = SpanSums & {
  readonly span: S;
  /** 0 directly below the trace, 499 at most. */
  readonly depth: number;
  /** Row of the parent; -1: the trace. */
  readonly parent: number;
  /** Row behind the last one below this. */
  readonly end: number;
  /** Nanoseconds from the begin of the axis. */
  readonly beginNs: number;
  /** Nanoseconds; null: neither an own duration nor one that the spans below give. */
  readonly durationNs: number | null;
  /** True when the duration is the time that the spans below took (contract 3.4, rule 7). */
  readonly isElapsed: boolean;
  /** Begin plus duration; without duration the last end of the spans below. */
  readonly endNs: number;
  /** Nanoseconds from the begin of the span to its first token; null: unknown. */
  readonly firstTokenNs: number | null;
  readonly isError: boolean;
};

export type SpanTree<S extends TreeSpan> = SpanSums & {
  /** Depth first, siblings in the order of contract 5.7. */
  readonly rows: readonly SpanRow<S>[];
  readonly rowOf: ReadonlyMap<string, number>;
  /** Length of the axis in nanoseconds: from the first begin to the last end of the trace. */
  readonly lengthNs: number;
};

/**
 * The tree of a trace as a flat list of rows, made once: spans come in any order, of a repeated one
 * the last counts, and one whose parent is missing stands below the trace meanwhile. The order of
 * arrival, which decides between equal siblings, is that of `spans`.
 */
export const spanTree = <S extends TreeSpan>(
  trace: TreeTrace,
  spans: readonly S[],
): SpanTree<S> => {
  const byId = new Map(spans.map((span) => [span.id, span]));
  const clock = clockOf(trace.created_at);
  const rows = orderedRows(trace.id, [...byId.values()], clock);
  placeRows(rows);
  const whole = emptySums(0, ownInteger(trace, 'duration_ns'));
  sumUp(rows, whole);
  for (const row of rows) row.beginNs -= whole.firstBegin;
  for (const row of rows) row.endNs -= whole.firstBegin;
  return {
    rows,
    rowOf: new Map(rows.map(({ span }, row) => [span.id, row])),
    lengthNs: whole.lastEnd - whole.firstBegin,
    cost: ownNumber(trace, 'cost') ?? whole.cost,
    tokens: ownInteger(trace, 'num_total_tokens') ?? whole.tokens,
    errors: whole.errors,
  };
};

/** Sums and bounds of a record and those below it, while they are made. */
type OpenSums = {
  cost: number | null;
  tokens: number | null;
  errors: number;
  firstBegin: number;
  lastEnd: number;
  hasDuration: boolean;
};

const emptySums = (begin: number, duration: number | null): OpenSums => ({
  cost: null,
  tokens: null,
  errors: 0,
  firstBegin: begin,
  lastEnd: begin + Math.max(0, duration ?? 0),
  hasDuration: duration !== null,
});

type OpenRow<S extends TreeSpan> = OpenSums & {
  -readonly [K in keyof SpanRow<S>]: SpanRow<S>[K];
} & {
  /** Row of the parent at any depth; null: the trace. */
  readonly above: OpenRow<S> | null;
};

/** A row with its own values. */
const openRow = <S extends TreeSpan>(
  span: S,
  depth: number,
  above: OpenRow<S> | null,
  begin: number,
): OpenRow<S> => {
  const duration = ownInteger(span, 'duration_ns');
  const isError = (span.status_code ?? 0) >= 400;
  return {
    span,
    depth,
    parent: -1,
    end: 0,
    cost: null,
    tokens: null,
    errors: isError ? 1 : 0,
    beginNs: begin,
    durationNs: duration,
    isElapsed: false,
    endNs: begin,
    firstTokenNs: ownInteger(span, 'time_to_first_token_ns'),
    isError,
    firstBegin: begin,
    lastEnd: begin + Math.max(0, duration ?? 0),
    hasDuration: duration !== null,
    above,
  };
};

const ownNumber = ({ metrics }: Pick<TreeSpan, 'metrics'>, name: string): number | null => {
  const value = metrics?.[name];
  return typeof value === 'number' ? value : null;
};

/** Value of an integer metric; a fraction does not fit it, so it counts nowhere (3.4, rule 3). */
const ownInteger = (record: Pick<TreeSpan, 'metrics'>, name: string): number | null => {
  const value = ownNumber(record, name);
  return Number.isInteger(value) ? value : null;
};

/** All spans depth first, without recursion: parents can be chained without end. */
const orderedRows = <S extends TreeSpan>(
  traceId: string,
  spans: readonly S[],
  clock: (instant: string) => number,
): readonly OpenRow<S>[] => {
  const links = spans.map(({ id, parent_id: parent }) => ({ id, parent }));
  const parents = effectiveParents(traceId, links);
  const children: (number[] | undefined)[] = Array(spans.length + 1).fill(undefined);
  parents.forEach((parent, index) => {
    const siblings = children[parent];
    if (siblings === undefined) children[parent] = [index];
    else siblings.push(index);
  });
  const bySteps = siblingOrder<number>({
    step: (index) => spans[index]?.step_number,
    createdAt: (index) => spans[index]?.created_at,
    ordinal: (index) => index,
  });
  const rows: OpenRow<S>[] = [];
  const open: { index: number; depth: number; above: OpenRow<S> | null }[] = [];
  const openChildren = (index: number, depth: number, above: OpenRow<S> | null): void => {
    const below = children[index] ?? [];
    if (below.length > 1) below.sort(bySteps);
    for (const child of below.toReversed()) open.push({ index: child, depth, above });
  };
  openChildren(spans.length, 0, null);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { index, depth, above } = next;
    const span = spans[index];
    if (span === undefined) continue;
    const row = openRow(span, depth, above, clock(span.created_at));
    rows.push(row);
    openChildren(index, depth + 1, row);
  }
  return rows;
};

/** Sets depth, parent and end: below the 500th level spans stand at it (contract 5.7). */
const placeRows = (rows: readonly OpenRow<TreeSpan>[]): void => {
  const path: OpenRow<TreeSpan>[] = [];
  const places: number[] = [];
  rows.forEach((row, at) => {
    row.depth = Math.min(row.depth, treeLevelsMax - 1);
    while (path.length > row.depth) {
      const closed = path.pop();
      places.pop();
      if (closed !== undefined) closed.end = at;
    }
    row.parent = places.at(-1) ?? -1;
    path.push(row);
    places.push(at);
  });
  for (const open of path) open.end = rows.length;
};

/** Kinds whose duration may be that of the spans below (contract 3.4, rule 7). */
const rollsUp: readonly string[] = ['workflow', 'agent'];

/** Sums and times of each row, from the last to the first: children come behind their parent. */
const sumUp = (rows: readonly OpenRow<TreeSpan>[], whole: OpenSums): void => {
  for (const row of rows.toReversed()) {
    const { span, above } = row;
    if (row.durationNs === null && row.hasDuration && rollsUp.includes(span.type)) {
      row.isElapsed = true;
      row.beginNs = row.firstBegin;
      row.durationNs = row.lastEnd - row.firstBegin;
    }
    row.endNs = row.durationNs === null ? row.lastEnd : row.beginNs + Math.max(0, row.durationNs);
    row.cost = ownNumber(span, 'cost') ?? row.cost;
    row.tokens = ownInteger(span, 'num_total_tokens') ?? row.tokens;
    addSums(above ?? whole, row);
  }
};

const addSums = (to: OpenSums, from: OpenSums): void => {
  if (from.cost !== null) to.cost = (to.cost ?? 0) + from.cost;
  if (from.tokens !== null) to.tokens = (to.tokens ?? 0) + from.tokens;
  to.errors += from.errors;
  to.firstBegin = Math.min(to.firstBegin, from.firstBegin);
  to.lastEnd = Math.max(to.lastEnd, from.lastEnd);
  to.hasDuration ||= from.hasDuration;
};

/**
 * Nanoseconds from the begin of the trace to an instant. Days are apart: nanoseconds since 1970 are
 * no safe integers.
 */
const clockOf = (begin: string): ((instant: string) => number) => {
  const days = new Map<string, number>();
  const dayOf = (instant: string): number => {
    const day = instant.slice(0, 10);
    const known = days.get(day) ?? Date.parse(day);
    days.set(day, known);
    return known;
  };
  const first = canonicalInstant(begin) ?? '1970-01-01T00:00:00.000000Z';
  const [firstDay, firstTime] = [dayOf(first), microsecondsOfDay(first)];
  return (written) => {
    // The service answers canonical instants, and reading any form takes longer than all else here.
    const isCanonical = written.length === first.length && written.endsWith('Z');
    const instant = isCanonical ? written : (canonicalInstant(written) ?? first);
    return (dayOf(instant) - firstDay) * 1e6 + (microsecondsOfDay(instant) - firstTime) * 1e3;
  };
};

const microsecondsOfDay = (instant: string): number => {
  const pair = (at: number): number =>
    instant.charCodeAt(at) * 10 + instant.charCodeAt(at + 1) - 0x30 * 11;
  const seconds = pair(11) * 3_600 + pair(14) * 60 + pair(17);
  return seconds * 1e6 + pair(20) * 1e4 + pair(22) * 100 + pair(24);
};
