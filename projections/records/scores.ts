import { registryMetric } from '../../kernel/records/columns.js';
import type { RollUp, MetricType, MetricValue } from '../../kernel/records/record.js';
import { forgetOverlap, member, put, putInBody, remove, type Draft } from './draft.js';

const codeSuffix = '_ems_error_code';
const messageSuffix = '_error_message';

export const typeOf = (value: MetricValue): MetricType => {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return 'boolean';
  return Number.isInteger(value) ? 'integer' : 'floating_point';
};

/**
 * Sets or withdraws (null) values by name: own values, error codes and error messages (contract
 * 3.4, 3.9). What does not fit a registry metric's type stays in the body and out of sight. `at`
 * says where in the log the values came from, `methods` how numbers of a metric roll up from here
 * on.
 */
export const record = (
  draft: Draft,
  scores: Readonly<Record<string, MetricValue | null>>,
  at: string,
  methods: Readonly<Record<string, RollUp>> = {},
): void => {
  for (const name of Object.keys(scores)) {
    const value = member(scores, name) ?? null;
    if (name.length > codeSuffix.length && name.endsWith(codeSuffix)) {
      recordCode(draft, name, value);
    } else if (name.length > messageSuffix.length && name.endsWith(messageSuffix)) {
      recordMessage(draft, name.slice(0, -messageSuffix.length), value);
    } else recordValue(draft, name, value, { at, method: member(methods, name) });
  }
};

type Origin = { readonly at: string; readonly method: RollUp | undefined };

const recordValue = (
  draft: Draft,
  name: string,
  value: MetricValue | null,
  { at, method: given }: Origin,
): void => {
  if (name === 'bleu' || name === 'rouge') forgetOverlap(draft);
  if (name === 'num_total_tokens') remove(draft.body, 'total');
  const known = member(draft.metrics, name);
  remove(draft.metrics, name);
  if (Object.hasOwn(draft.body, 'metrics')) putInBody(draft, 'metrics', name, undefined);
  if (value === null) return;
  const registered = registryMetric.get(name);
  if (registered === undefined) {
    const type = typeOf(value);
    const fraction = type === 'floating_point';
    const first = known?.first ?? { at, type, fraction };
    // A cell of another kind has the method of what rolls up to it, if any.
    const before = known?.rolledUp === false && typeof known.value === 'number';
    const method = given ?? (before ? known.method : undefined) ?? 'average';
    put(draft.metrics, name, {
      value,
      rolledUp: false,
      first: fraction && !first.fraction ? { ...first, fraction } : first,
      ...(typeof value === 'number' && method !== 'average' && { method }),
    });
  } else if (typeof value === 'number' && fits(registered.type, value)) {
    put(draft.metrics, name, { value, rolledUp: false });
  } else putInBody(draft, 'metrics', name, value);
};

const fits = (type: 'integer' | 'floating_point', value: number): boolean =>
  type === 'floating_point' || Number.isInteger(value);

const recordCode = (draft: Draft, name: string, value: MetricValue | null): void => {
  const metric = name.slice(0, -codeSuffix.length);
  const known = member(draft.errors, metric);
  remove(draft.errors, metric);
  const message =
    known?.message ?? member((draft.body['messages'] ?? {}) as Record<string, string>, metric);
  if (typeof value === 'number' && Number.isInteger(value)) {
    put(draft.errors, metric, { code: value, message: message ?? null });
    if (Object.hasOwn(draft.body, 'messages')) putInBody(draft, 'messages', metric, undefined);
  } else if (message !== undefined && message !== null) {
    putInBody(draft, 'messages', metric, message);
  }
};

/** A message without its code waits in the body: the code may come first or second. */
const recordMessage = (draft: Draft, metric: string, value: MetricValue | null): void => {
  const message = typeof value === 'string' ? value : null;
  const known = member(draft.errors, metric);
  if (known === undefined) putInBody(draft, 'messages', metric, message ?? undefined);
  else put(draft.errors, metric, { code: known.code, message });
};
