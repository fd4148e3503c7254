import type { Json, JsonObject } from '../../kernel/schema-types.js';
import { cutTexts, type TextWindow } from './answer-limit.js';

type MetricInfo = Readonly<
  Record<string, { readonly value?: Json; readonly message?: string | null }>
>;
export type ReadRecord = JsonObject & {
  readonly id: string;
  readonly type: string;
  readonly spans?: readonly ReadRecord[];
  readonly metric_info?: MetricInfo & JsonObject;
};

/** Members that are shown elsewhere, or not needed by a reader. */
const omittedMembers = new Set([
  'metrics',
  'metric_info',
  'spans',
  'traces',
  'project_id',
  'has_children',
]);

/**
 * A record for a model: without empty members, each metric once with its effective value (own or
 * rolled up), texts cut to the window. `fields` null: all members.
 */
export const recordView = (
  record: ReadRecord,
  window: TextWindow,
  fields: readonly string[] | null = null,
): JsonObject => {
  const { metrics, failed } = metricsOf(record.metric_info ?? {});
  const whole: JsonObject = {
    ...Object.fromEntries(Object.entries(record).filter((one) => !isImplied(one, record))),
    metrics,
    metric_errors: failed,
  };
  const kept = Object.entries(whole).filter(
    ([name, value]) =>
      !isEmpty(value) && (fields === null || name === 'id' || fields.includes(name)),
  );
  return cutTexts(Object.fromEntries(kept), window) as JsonObject;
};

const isEmpty = (value: Json): boolean =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);

/** Implied members: a trace without a session has its own id there (contract 3.1, rule 4). */
const isImplied = ([name, value]: readonly [string, Json], { id }: ReadRecord): boolean =>
  omittedMembers.has(name) ||
  ((name === 'trace_id' || name === 'session_id') && value === id) ||
  (name === 'is_complete' && value === true) ||
  (name === 'fully_annotated' && value === false);

const metricsOf = (
  info: MetricInfo,
): { readonly metrics: JsonObject; readonly failed: JsonObject } => {
  const values: [string, Json][] = [];
  const failed: [string, Json][] = [];
  for (const [name, { value, message }] of Object.entries(info)) {
    if (value !== undefined) values.push([name, value]);
    else failed.push([name, message ?? 'failed']);
  }
  return { metrics: Object.fromEntries(values), failed: Object.fromEntries(failed) };
};

/**
 * The spans in pre-order, each with its depth: 1 under the trace. The list can be cut anywhere and
 * still be read.
 */
export const flattenTree = (
  spans: readonly ReadRecord[],
): readonly { readonly depth: number; readonly span: ReadRecord }[] => {
  const all: { readonly depth: number; readonly span: ReadRecord }[] = [];
  const rest = [...spans].reverse().map((span) => ({ depth: 1, span }));
  for (let at = rest.pop(); at !== undefined; at = rest.pop()) {
    all.push(at);
    const { depth } = at;
    for (const span of [...(at.span.spans ?? [])].reverse()) rest.push({ depth: depth + 1, span });
  }
  return all;
};
