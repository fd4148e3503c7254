import { codePointCount } from '../kernel/code-points.js';
import { type Complaint, valueComplaint } from '../kernel/fault.js';
import { textBytesMax } from '../kernel/records/limits.js';
import {
  bareMetricName,
  type SentMetrics,
  type SentSpan,
  type SentTrace,
} from '../kernel/records/sent-record.js';
import type { Json, JsonObject } from '../kernel/schema-types.js';
import { isTooLong } from './long-texts.js';
import { metricNameMax, spansMax } from './records.js';
import { registryMetricByName } from '../kernel/records/columns.js';

/**
 * Rules about records beyond the schema (contract 1.11, 3.4): the size of texts in bytes, finite
 * numbers in free objects, values and names of metrics, spans of the whole request. Allocates
 * nothing for valid records.
 */
export const complaintsAboutTraces = (traces: readonly SentTrace[]): readonly Complaint[] => {
  const found: Complaint[] = [];
  const room = openSpanCounter();
  for (const [index, trace] of traces.entries()) {
    const loc = ['body', 'traces', String(index)];
    checkRecord(trace, trace.id ?? null, loc, found);
    room.take(countSpans(trace.spans), [...loc, 'spans'], found);
  }
  return found.slice(0, complaintsMax);
};

export const complaintsAboutSpans = (
  spans: readonly SentSpan[],
  traceId: string,
): readonly Complaint[] => {
  const found: Complaint[] = [];
  checkSpans(spans, traceId, ['body', 'spans'], found);
  for (const [index, span] of spans.entries()) {
    if (span.trace_id == null || span.trace_id === traceId) continue;
    const loc = ['body', 'spans', String(index), 'trace_id'];
    found.push(valueComplaint(loc, 'the span belongs to the trace that the request names'));
  }
  const room = openSpanCounter();
  for (const [index, span] of spans.entries()) {
    room.take(countSpans([span]), ['body', 'spans', String(index)], found);
  }
  return found.slice(0, complaintsMax);
};

/** Counts spans; items that exceed the limit after earlier ones are rejected (contract 1.11). */
const openSpanCounter = () => {
  let taken = 0;
  return {
    take: (count: number, loc: readonly string[], found: Complaint[]): void => {
      if (taken + count > spansMax) found.push(tooMany(loc, taken + count));
      else taken += count;
    },
  };
};

/** Complaints about a change: `input`, `output`, `tags`, `metrics` (contract 5.6, rule 5). */
export const complaintsAboutChange = (change: {
  readonly metrics?: SentMetrics | null;
}): readonly Complaint[] => {
  const found: Complaint[] = [];
  checkRecord(change, null, ['body'], found);
  return found.slice(0, complaintsMax);
};

/** Complaint limit (contract 1.4). */
const complaintsMax = 100;

export const countSpans = (spans: readonly SentSpan[] | null | undefined): number => {
  let count = 0;
  for (const span of spans ?? []) count += 1 + countSpans(span.spans);
  return count;
};

type AnyRecord = {
  readonly id?: string | null;
  readonly metrics?: SentMetrics | null;
  readonly spans?: readonly SentSpan[] | null;
};

const checkSpans = (
  spans: readonly SentSpan[],
  traceId: string | null,
  loc: readonly string[],
  found: Complaint[],
): void => {
  for (const [index, span] of spans.entries()) {
    const at = [...loc, String(index)];
    if (span.id != null && span.id === traceId) {
      // Scores and parents refer to a record of the trace by its id alone.
      found.push(valueComplaint([...at, 'id'], 'a span must not have the id of its trace'));
    }
    checkRecord(span, traceId, at, found);
  }
};

const checkRecord = (
  record: AnyRecord,
  traceId: string | null,
  loc: readonly string[],
  found: Complaint[],
): void => {
  if (found.length >= complaintsMax) return;
  for (const member in record) {
    const value = (record as Readonly<Record<string, Json>>)[member] ?? null;
    if (member === 'spans' || fits(value)) continue;
    if (member !== 'metrics') checkValue(value, [...loc, member], found);
  }
  if (record.metrics != null) checkMetrics(record.metrics, [...loc, 'metrics'], found);
  if (record.spans != null) checkSpans(record.spans, traceId, [...loc, 'spans'], found);
};

const fits = (value: Json): boolean => {
  if (typeof value === 'string') return !isTooLong(value);
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return (value as readonly Json[]).every(fits);
  const members = value as JsonObject;
  for (const member in members) {
    if (!fits(members[member] ?? null)) return false;
  }
  return true;
};

const checkValue = (value: Json, loc: readonly string[], found: Complaint[]): void => {
  if (typeof value === 'string') {
    if (isTooLong(value)) found.push({ loc, ...tooLong });
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) found.push({ loc, ...notFinite });
  } else if (typeof value === 'object' && value !== null) {
    for (const [member, one] of Object.entries(value as JsonObject)) {
      checkValue(one, [...loc, member], found);
    }
  }
};
const tooLong = {
  msg: `String should have at most ${textBytesMax} characters`,
  type: 'string_too_long',
};
const notFinite = { msg: 'Input should be a valid number', type: 'float_type' };

const checkMetrics = (metrics: SentMetrics, loc: readonly string[], found: Complaint[]): void => {
  for (const name in metrics) {
    if (!Object.hasOwn(metrics, name)) continue;
    const value = metrics[name];
    const bare = bareMetricName(name);
    if (bare === '') found.push({ loc: [...loc, name], ...nameTooShort });
    else if (bare.length > metricNameMax && codePointCount(bare) > metricNameMax) {
      found.push({ loc: [...loc, name], ...nameTooLong });
    }
    if (typeof value === 'object' && value !== null) {
      const sentence = 'a metric value must be a number, a boolean, a string or null';
      found.push(valueComplaint([...loc, name], sentence));
    } else checkValue(value ?? null, [...loc, name], found);
  }
};
const nameTooShort = {
  msg: 'String should have at least 1 character',
  type: 'string_too_short',
};
const nameTooLong = {
  msg: `String should have at most ${metricNameMax} characters`,
  type: 'string_too_long',
};

/** Prefixes of a metric's average in an experiment (contract 4.6). */
const averagePrefixes = ['average_', 'percentage_true_'];

/**
 * Metrics that a name may mean, the likeliest first (contract 3.4, rule 6): `metrics/x`, `x` and
 * `average_x` are one, unless there is a metric `average_x`.
 */
export const metricReadings = (written: string): readonly string[] => {
  const bare = bareMetricName(written);
  const averaged = averagePrefixes.filter(
    (prefix) => bare.length > prefix.length && bare.startsWith(prefix),
  );
  return [bare, ...averaged.map((prefix) => bare.slice(prefix.length))];
};

const tooMany = (loc: readonly string[], count: number): Complaint => ({
  loc,
  msg: `List should have at most ${spansMax} items, not ${count}`,
  type: 'too_long',
});

/** Holder of metrics: a record in the body's `traces` or `spans`, or the members of a change. */
type MetricsHolder = {
  readonly metrics?: SentMetrics | null;
  readonly spans?: readonly MetricsHolder[] | null;
};
type UnfitMetric = { readonly path: readonly string[]; readonly type: string };

/** One more than a response lists, to detect that there are more. */
const unfitMax = 21;

/**
 * Values of registry metrics that are not of the metric's type, at most 21 (contract 5.6, rule 10).
 * `placeOf`: the index in the request of the item with this index.
 */
const collectUnfitIn = (
  records: readonly MetricsHolder[],
  at: readonly string[],
  found: UnfitMetric[],
  placeOf: (index: number) => number = (index) => index,
): void => {
  for (const [index, record] of records.entries()) {
    if (found.length >= unfitMax) return;
    if (record.metrics == null && record.spans == null) continue;
    const place = [...at, String(placeOf(index))];
    collectUnfit(record, [...place, 'metrics'], found);
    if (record.spans != null) collectUnfitIn(record.spans, [...place, 'spans'], found);
  }
};

const collectUnfit = (
  { metrics }: MetricsHolder,
  at: readonly string[],
  found: UnfitMetric[],
): void => {
  for (const name in metrics) {
    if (found.length >= unfitMax) return;
    const value = metrics[name] ?? null;
    const type = value === null ? undefined : registryMetricByName.get(bareMetricName(name))?.type;
    const fits =
      type === undefined ||
      (typeof value === 'number' && (type !== 'integer' || Number.isInteger(value)));
    if (!fits) found.push({ path: [...at, name], type });
  }
};

/** Paths of unfit metrics in the items of a request or in a change, as a response lists them. */
export const unfitMetrics = (
  body: Readonly<Partial<Record<'traces' | 'spans', readonly MetricsHolder[] | null>>> &
    MetricsHolder,
  rejected: readonly { readonly index: number }[] = [],
): readonly string[] =>
  findUnfitMetrics(body, requestIndexOf(rejected)).map(({ path }) => path.join('/'));

/** Complaints under `Prefer: handling=strict`. */
export const complaintsAboutUnfit = (
  body: Parameters<typeof unfitMetrics>[0],
): readonly Complaint[] =>
  findUnfitMetrics(body).map(({ path, type }) =>
    valueComplaint(['body', ...path], `'${path.at(-1)}' is a metric of type ${type}`),
  );

const findUnfitMetrics = (
  body: Parameters<typeof unfitMetrics>[0],
  placeOf?: (index: number) => number,
): readonly UnfitMetric[] => {
  const found: UnfitMetric[] = [];
  for (const member of ['traces', 'spans'] as const) {
    collectUnfitIn(body[member] ?? [], [member], found, placeOf);
  }
  collectUnfit(body, ['metrics'], found);
  return found;
};

/** Maps indices of accepted items to indices in the request. */
const requestIndexOf = (rejected: readonly { readonly index: number }[]) => {
  const gone = rejected.map(({ index }) => index);
  return (index: number): number =>
    gone.reduce((place, at) => (at <= place ? place + 1 : place), index);
};
