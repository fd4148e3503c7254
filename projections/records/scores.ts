import { registryMetricByName } from '../../kernel/records/columns.js';
import { isOverlapName } from '../../kernel/records/overlap-metrics.js';
import type { MetricCell, MetricType, MetricValue, RollUp } from '../../kernel/records/record.js';
import {
  dropOverlap,
  clearOverlap,
  ownMember,
  overlapErrors,
  computedOverlaps,
  setMember,
  setInBody,
  removeMember,
  type RowBuilder,
} from './row-builder.js';

const codeSuffix = '_ems_error_code';
const messageSuffix = '_error_message';

const metricTypeOf = (value: MetricValue): MetricType => {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return 'boolean';
  return Number.isInteger(value) ? 'integer' : 'floating_point';
};

/**
 * Sets or withdraws (null) values by name: own values, error codes and error messages (contract
 * 3.4, 3.9). A value that does not fit a registry metric's type stays in the body and is not shown.
 * `at` is the values' position in the log, `methods` how numbers of a metric roll up from here on.
 * A scorer does not change values that a client sent: its score is kept in the body (contract
 * 5.10).
 */
export const recordScores = (
  builder: RowBuilder,
  scores: Readonly<Record<string, MetricValue | null>>,
  at: string,
  { methods = {}, by = 'client' }: ScoreOptions = {},
): void => {
  for (const name of Object.keys(scores)) {
    const value = ownMember(scores, name) ?? null;
    if (isSuffixed(name, codeSuffix)) recordCode(builder, name, value);
    else if (isSuffixed(name, messageSuffix)) {
      recordMessage(builder, name.slice(0, -messageSuffix.length), value);
    } else recordValue(builder, name, value, { at, method: ownMember(methods, name), by });
  }
};

const isSuffixed = (name: string, suffix: string): boolean =>
  name.length > suffix.length && name.endsWith(suffix);

/** True if the name is not of a metric's value, but of its error's code or message. */
export const isOfError = (name: string): boolean =>
  isSuffixed(name, codeSuffix) || isSuffixed(name, messageSuffix);

type ScoreOptions = {
  readonly methods?: Readonly<Record<string, RollUp>> | undefined;
  readonly by?: 'client' | 'scorer';
};
type ScoreOrigin = Required<Pick<ScoreOptions, 'by'>> & {
  readonly at: string;
  readonly method: RollUp | undefined;
};

const recordValue = (
  builder: RowBuilder,
  name: string,
  value: MetricValue | null,
  origin: ScoreOrigin,
): void => {
  const { by, method } = origin;
  const own = ownValue(builder, name);
  const isScorers = own !== undefined && scoredNames(builder).includes(name);
  if (by === 'scorer' && own !== undefined && !isScorers) {
    setInBody(builder, 'scorer_values', name, value ?? undefined);
    const known = ownMember(builder.metrics, name);
    if (method !== undefined && known !== undefined) setMethod(builder, name, known, method);
    return;
  }
  if (value === null) setInBody(builder, 'scorer_values', name, undefined);
  else if (by === 'client' && isScorers) setInBody(builder, 'scorer_values', name, own);
  setScored(builder, name, by === 'scorer' && value !== null);
  putValue(builder, name, value, origin);
};

const ownValue = ({ metrics, body }: RowBuilder, name: string): MetricValue | undefined => {
  if (isComputed(body, name)) return undefined;
  const cell = ownMember(metrics, name);
  if (cell !== undefined && !cell.rolledUp) return cell.value;
  return ownMember((body['metrics'] ?? {}) as Readonly<Record<string, MetricValue>>, name);
};

/** True if `deriveValues` computed the value: whether it is set yet depends on the batches. */
const isComputed = (body: RowBuilder['body'], name: string): boolean =>
  (name === 'num_total_tokens' && body['total'] === true) ||
  (name === 'cost' && body['priced'] === true) ||
  computedOverlaps(body).includes(name);

/** Metrics of the record whose own value a scorer set. */
const scoredNames = ({ body }: RowBuilder): readonly string[] =>
  (body['scored'] ?? []) as readonly string[];

const setScored = (builder: RowBuilder, name: string, isScored: boolean): void => {
  const before = scoredNames(builder);
  if (before.includes(name) === isScored) return;
  const names = isScored ? [...before, name] : before.filter((one) => one !== name);
  if (names.length === 0) removeMember(builder.body, 'scored');
  else builder.body['scored'] = names;
};

const setMethod = (
  { metrics }: RowBuilder,
  name: string,
  { method: _before, ...cell }: MetricCell,
  method: RollUp,
): void =>
  setMember(metrics, name, {
    ...cell,
    ...(typeof cell.value === 'number' && method !== 'average' && { method }),
  });

const putValue = (
  builder: RowBuilder,
  name: string,
  value: MetricValue | null,
  { at, method: given }: ScoreOrigin,
): void => {
  if (isOverlapName(name)) {
    if (value === null) clearOverlap(builder);
    else dropOverlap(builder, name);
  }
  if (name === 'num_total_tokens') removeMember(builder.body, 'total');
  if (name === 'cost') removeMember(builder.body, 'priced');
  const known = ownMember(builder.metrics, name);
  removeMember(builder.metrics, name);
  if (Object.hasOwn(builder.body, 'metrics')) setInBody(builder, 'metrics', name, undefined);
  if (value === null) return;
  const cell = cellOfValue(name, value, () => at);
  if (cell === null) {
    setInBody(builder, 'metrics', name, value);
    return;
  }
  if (cell.first === undefined) {
    setMember(builder.metrics, name, cell);
    return;
  }
  const { fraction } = cell.first;
  const first = known?.first ?? cell.first;
  // A rolled-up or non-numeric cell holds the method of its roll-up, if any.
  const before = known?.rolledUp === false && typeof known.value === 'number';
  const method = given ?? (before ? known.method : undefined) ?? 'average';
  setMember(builder.metrics, name, {
    ...cell,
    first: fraction && !first.fraction ? { ...first, fraction } : first,
    ...(typeof value === 'number' && method !== 'average' && { method }),
  });
};

/**
 * Cell of the first own value of a metric; null: it does not fit the registry's type, and belongs
 * into the body. `at`: the value's place in the log.
 */
export const cellOfValue = (
  name: string,
  value: MetricValue,
  at: () => string,
): MetricCell | null => {
  const registered = registryMetricByName.get(name);
  if (registered === undefined) {
    const type = metricTypeOf(value);
    const fraction = type === 'floating_point';
    return { value, rolledUp: false, first: { at: at(), type, fraction } };
  }
  const fits = typeof value === 'number' && fitsType(registered.type, value);
  return fits ? { value, rolledUp: false } : null;
};

const fitsType = (type: 'integer' | 'floating_point', value: number): boolean =>
  type === 'floating_point' || Number.isInteger(value);

const recordCode = (builder: RowBuilder, name: string, value: MetricValue | null): void => {
  const metric = name.slice(0, -codeSuffix.length);
  if (overlapErrors(builder.body).includes(metric)) clearOverlap(builder);
  const known = ownMember(builder.errors, metric);
  removeMember(builder.errors, metric);
  const message =
    known?.message ?? ownMember((builder.body['messages'] ?? {}) as Record<string, string>, metric);
  if (typeof value === 'number' && Number.isInteger(value)) {
    setMember(builder.errors, metric, { code: value, message: message ?? null });
    if (Object.hasOwn(builder.body, 'messages')) setInBody(builder, 'messages', metric, undefined);
  } else if (message !== undefined && message !== null) {
    setInBody(builder, 'messages', metric, message);
  }
};

/** A message without its code is kept in the body: they may arrive in either order. */
const recordMessage = (builder: RowBuilder, metric: string, value: MetricValue | null): void => {
  const message = typeof value === 'string' ? value : null;
  if (overlapErrors(builder.body).includes(metric)) clearOverlap(builder);
  const known = ownMember(builder.errors, metric);
  if (known === undefined) setInBody(builder, 'messages', metric, message ?? undefined);
  else setMember(builder.errors, metric, { code: known.code, message });
};
