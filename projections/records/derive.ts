import { costAtPrices } from '../../kernel/prices/cost.js';
import { tokensOfMetrics, type SpanPrice } from '../../kernel/prices/token-kinds.js';
import { registryMetricByName } from '../../kernel/records/columns.js';
import { longTextsCode } from '../../kernel/records/evaluation-errors.js';
import {
  fitOverlapLimit,
  overlapNames,
  computeOverlap,
} from '../../kernel/records/overlap-metrics.js';
import type { RollUp, MetricCell } from '../../kernel/records/record.js';
import type { MetricEntry } from '../../kernel/records/record-cells.js';
import { effectiveParents } from '../../kernel/records/span-tree.js';
import type { Instant } from '../../kernel/schema-types.js';
import { elapsedTimes, type TimedRecord } from './elapsed.js';
import {
  ownMember,
  ownNumber,
  putElapsed,
  setMember,
  removeMember,
  type RowBuilder,
} from './row-builder.js';

/**
 * Derived values of a trace's rows, from the rows alone, so that they do not depend on batch
 * boundaries: parents and children, completeness, overlap metrics, token totals, cost, roll-ups,
 * elapsed time.
 */
export const deriveValues = (rows: readonly RowBuilder[]): void => {
  const [trace, ...spans] = rows;
  if (trace === undefined) return;
  const children = placeSpans(trace, spans);
  const complete = trace.values['is_complete'] ?? false;
  for (const span of spans) {
    span.values['is_complete'] = complete;
    span.annotators = trace.annotators;
  }
  for (const row of rows) {
    // Values that follow from a row alone were computed when it was written.
    if (row.outline !== undefined) continue;
    deriveTotalTokens(row);
    deriveCost(row);
    deriveOverlap(row);
  }
  trace.spanCount = spans.length;
  const metrics = spans.map((span) => Object.entries(span.metrics));
  putRollUps(trace.metrics, rollUpsOf(metrics, children));
  const records = [...spans, trace];
  const elapsed = elapsedTimes(records.map(timedRecord), children);
  for (const [at, record] of records.entries()) {
    const own = ownNumber(record.metrics['duration_ns']);
    if (own === null) putElapsed(record.metrics, elapsed[at]);
  }
};

const timedRecord = ({ kind, values, metrics }: RowBuilder): TimedRecord => ({
  kind,
  begin: values['created_at'] as Instant,
  duration: ownNumber(metrics['duration_ns']),
});

/** Indices of the spans under each span; the last list is of those under the trace. */
type SpanChildren = readonly (readonly number[])[];

/** The spans under each, from the parent of each (see `effectiveParents`). */
export const childrenOf = (parents: readonly number[]): SpanChildren => {
  const children: number[][] = Array.from({ length: parents.length + 1 }, () => []);
  for (const [index, parent] of parents.entries()) children[parent]?.push(index);
  return children;
};

/**
 * Sets `parent_id` to the effective parent: the parent that was sent, or the trace while that
 * parent is missing or below the span itself (contract 5.6, rule 4). The sent id is kept in the
 * body.
 */
const placeSpans = (trace: RowBuilder, spans: readonly RowBuilder[]): SpanChildren => {
  const traceId = trace.values['id'];
  const sent = spans.map((span) => span.body['parent_id'] ?? span.values['parent_id'] ?? null);
  const parents = effectiveParents(
    traceId,
    spans.map((span, index) => ({ id: span.values['id'], parent: sent[index] })),
  );
  const children = childrenOf(parents);
  spans.forEach((span, index) => {
    const shown = spans[parents[index] ?? spans.length]?.values['id'] ?? traceId ?? null;
    span.values['parent_id'] = shown;
    if (shown === sent[index]) removeMember(span.body, 'parent_id');
    else span.body['parent_id'] = sent[index] ?? null;
  });
  spans.forEach((span, index) => {
    span.values['has_children'] = (children[index]?.length ?? 0) > 0;
  });
  trace.values['has_children'] = spans.length > 0;
  return children;
};

/**
 * Total tokens: as sent, otherwise the sum of input and output tokens when either is present
 * (contract 3.4).
 */
const deriveTotalTokens = (row: RowBuilder): void => {
  const { metrics, body } = row;
  if (body['total'] === true) {
    removeMember(metrics, 'num_total_tokens');
    removeMember(body, 'total');
  }
  const known = metrics['num_total_tokens'];
  if (known !== undefined && !known.rolledUp) return;
  const input = ownNumber(metrics['num_input_tokens']);
  const value = totalTokens(input, ownNumber(metrics['num_output_tokens']));
  if (value === null) return;
  metrics['num_total_tokens'] = { value, rolledUp: false };
  body['total'] = true;
};

/** Sum of input and output tokens; null without either, and beyond doubles. */
export const totalTokens = (input: number | null, output: number | null): number | null =>
  input === null && output === null ? null : finiteOrNull((input ?? 0) + (output ?? 0));

// JSON cannot represent an infinite number.
const finiteOrNull = (value: number): number | null => (Number.isFinite(value) ? value : null);

/** Cost: as sent, otherwise by the price at which the span was logged (contract 3.4, rule 8). */
const deriveCost = ({ metrics, body }: RowBuilder): void => {
  const price = body['price'] as SpanPrice | undefined;
  if (price === undefined) return;
  if (body['priced'] === true) {
    removeMember(metrics, 'cost');
    removeMember(body, 'priced');
  }
  if (ownNumber(metrics['cost']) !== null) return;
  const value = costAtPrice(price, (name) => ownNumber(metrics[name]));
  if (value === null) return;
  metrics['cost'] = { value, rolledUp: false };
  body['priced'] = true;
};

/**
 * Cost of a record by its metrics; null when none counts tokens, and beyond doubles. A price of
 * before kinds keeps the cost that it gave then (D-245).
 */
export const costAtPrice = (
  price: SpanPrice,
  numberOf: (metric: string) => number | null,
): number | null => {
  const tokens = tokensOfMetrics(numberOf);
  const { input = null, output = null } = tokens;
  return costAtPrices(price.list === undefined ? { input, output } : tokens, price);
};

/**
 * Derives `bleu` and `rouge` (contract 3.5). They follow from the texts, so no event stores them;
 * `overlap` in the body lists the computed ones and marks the texts as processed: it is removed
 * when a text changes, together with the errors of `overlap_errors`, which replace the values of
 * texts that are too long.
 */
const deriveOverlap = (row: RowBuilder): void => {
  const { values, metrics, errors, body } = row;
  const output = values['output'];
  const reference = values['dataset_output'];
  if (body['overlap'] !== undefined) return;
  if (typeof output !== 'string' || typeof reference !== 'string') return;
  if (output === '' || reference === '') return;
  const wanted = overlapNames.filter((name) => !isSent(row, name));
  if (!fitOverlapLimit(output, reference)) {
    const failed = wanted.filter((name) => errors[name] === undefined);
    for (const name of failed) errors[name] = { code: longTextsCode, message: null };
    body['overlap'] = [];
    if (failed.length > 0) body['overlap_errors'] = failed;
    return;
  }
  const computed: string[] = [];
  for (const name of wanted) {
    const value = computeOverlap(name, output, reference);
    if (value === null) continue;
    metrics[name] = { value, rolledUp: false };
    computed.push(name);
  }
  body['overlap'] = computed;
};

const isSent = ({ metrics, body }: RowBuilder, name: string): boolean =>
  metrics[name]?.rolledUp === false ||
  ownMember((body['metrics'] ?? {}) as Record<string, unknown>, name) !== undefined;

/**
 * Roll-ups by metric: numbers of the spans that have an own value while no span above them has one
 * (contract 3.4, rule 4). Iterative depth-first traversal, with a count of the open spans that have
 * each metric. `metrics`: those of each span.
 */
export const rollUpsOf = (
  metrics: readonly (readonly MetricEntry[])[],
  children: SpanChildren,
): RollUps => {
  const sums = new Map<string, Sum>();
  const above = new Map<string, number>();
  const open = [...(children[metrics.length] ?? [])].reverse();
  while (open.length > 0) {
    const next = open.pop() ?? 0;
    // The complement closes the span after its descendants; a leaf is above nothing.
    const closed = next < 0 ? metrics[~next] : undefined;
    const below = closed === undefined ? (children[next] ?? []) : [];
    if (below.length > 0) open.push(~next);
    for (const [name, cell] of closed ?? metrics[next] ?? []) {
      const value = ownNumber(cell);
      if (value === null) continue;
      const covering = above.size === 0 ? 0 : (above.get(name) ?? 0);
      if (closed !== undefined) above.set(name, covering - 1);
      else if (covering === 0) addToRollUp(sums, name, value, cell.method);
      if (below.length > 0) above.set(name, covering + 1);
    }
    for (let index = below.length - 1; index >= 0; index -= 1) open.push(below[index] ?? 0);
  }
  return rollUpResults(sums);
};

type Sum = { value: number; count: number; readonly method: RollUp };
/** Roll-up values; `method` where it differs from the one that the name implies. */
type RollUps = ReadonlyMap<string, Pick<MetricCell, 'method'> & { readonly value: number }>;

/**
 * Adds a number to its roll-up. Numbers outside the registry average, unless their scorer sets
 * another method (contract 3.4).
 */
const addToRollUp = (
  sums: Map<string, Sum>,
  name: string,
  value: number,
  said: RollUp | undefined,
): void => {
  const sum = sums.get(name);
  if (sum === undefined) {
    const method = registryMetricByName.get(name)?.rollUp ?? said ?? 'average';
    sums.set(name, { value, count: 1, method });
  } else {
    sum.count += 1;
    if (sum.method === 'max') sum.value = Math.max(sum.value, value);
    else if (sum.method === 'min') sum.value = Math.min(sum.value, value);
    else sum.value += value;
  }
};

const rollUpResults = (sums: ReadonlyMap<string, Sum>): RollUps =>
  new Map(
    [...sums].flatMap(([name, { value: sum, count, method }]) => {
      const value = finiteOrNull(method === 'average' ? sum / count : sum);
      const isSaid = method !== 'average' && !registryMetricByName.has(name);
      return value === null ? [] : [[name, { value, ...(isSaid && { method }) }] as const];
    }),
  );

/** Replaces the roll-ups among the metrics of a trace. */
export const putRollUps = (metrics: Record<string, MetricCell>, values: RollUps): void => {
  for (const name of Object.keys(metrics)) {
    const cell = ownMember(metrics, name);
    if (cell?.rolledUp === true) removeMember(metrics, name);
    else if (cell?.rollUp !== undefined) {
      const { rollUp: _r, method: _m, ...own } = cell;
      setMember(metrics, name, own);
    }
  }
  for (const [name, { value, ...how }] of values) {
    const own = ownMember(metrics, name);
    if (own === undefined) setMember(metrics, name, { value, rolledUp: true, ...how });
    else if (typeof own.value !== 'number')
      setMember(metrics, name, { ...own, rollUp: value, ...how });
  }
};
