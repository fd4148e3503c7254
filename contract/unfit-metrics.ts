import { valueComplaint, type Complaint } from '../kernel/fault.js';
import { registryMetricByName } from '../kernel/records/columns.js';
import { bareMetricName, type SentMetrics } from '../kernel/records/sent-record.js';

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
