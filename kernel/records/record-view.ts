import { parseJsonText } from '../json-text.js';
import { annotationsView } from './feedback.js';
import { registryMetricByName } from './columns.js';
import { valueFitsType } from './column-value.js';
import { structuredError, unfitValueError } from './evaluation-errors.js';
import type { MetricCell, MetricError, MetricType, RecordKind, RecordRow } from './record.js';
import { recordFieldNames, spanFieldNamesOf } from './span-fields.js';
import type { Json, JsonObject } from '../schema-types.js';

type Members = Record<string, Json>;

/**
 * View of a record (contract 5.7) without its tree, counts and ratings: every member is present,
 * null, `""`, `[]` or `{}` where nothing was sent. The inverse of the fold in projections/records.
 * `types`: known types of metrics outside the registry.
 */
export const toRecordView = (row: RecordRow, types: MetricTypes = noTypes): JsonObject => {
  const { kind, values, body } = row;
  const value = (name: string): Json => (values[name] as Json | undefined) ?? null;
  const members: Members = {
    type: kind,
    id: value('id'),
    project_id: value('project_id'),
    run_id: value('run_id'),
    session_id: kind === 'session' ? value('id') : value('session_id'),
    trace_id: kind === 'trace' ? value('id') : value('trace_id'),
    name: values['name'] ?? '',
    created_at: value('created_at'),
    updated_at: value('updated_at'),
    input: sentText(row, 'input'),
    output: sentText(row, 'output'),
    redacted_input: body['redacted_input'] ?? null,
    redacted_output: body['redacted_output'] ?? null,
    user_metadata: row.userMetadata,
    tags: values['tags'] ?? [],
    status_code: value('status_code'),
    metrics: ownMetrics(row),
    ...Object.fromEntries(recordFieldNames.map((name) => [name, value(name)])),
    dataset_metadata: body['dataset_metadata'] ?? {},
    has_children: kind === 'session' ? traceCountOf(row) > 0 : (values['has_children'] ?? false),
    is_complete:
      kind === 'session' ? (body['is_complete'] ?? true) : (values['is_complete'] ?? false),
    metric_info: metricInfo(row, types),
  };
  if (kind === 'session') members['previous_session_id'] = body['previous_session_id'] ?? null;
  else if (kind === 'trace') members['annotations'] = annotationsView(row);
  else {
    members['parent_id'] = value('parent_id');
    members['step_number'] = value('step_number');
    for (const name of spanFieldNamesOf[kind]) members[name] = value(name);
  }
  if (kind === 'llm') {
    const { tools } = values;
    members['tools'] = typeof tools === 'string' ? (parseJsonText(tools) as Json) : null;
    members['events'] = body['events'] ?? null;
  }
  return members;
};

/** Number of traces of a session; 0 for other records. */
export const traceCountOf = ({ body }: RecordRow): number => Number(body['traces'] ?? 0);

/**
 * Value as it was sent: whole in the body, or rebuilt from its text and the role of its only
 * message.
 */
const sentText = ({ values, body }: RecordRow, name: 'input' | 'output'): Json => {
  const whole = body[name];
  if (whole !== undefined) return whole;
  const text = values[name];
  if (typeof text !== 'string') return null;
  const form = body[`${name}_as`];
  if (typeof form !== 'string') return text;
  const [shape, ...role] = form.split(':');
  const message = { content: text, role: role.join(':') };
  return shape === 'messages' ? [message] : message;
};

/**
 * Own values only, including those that do not fit their metric's type (contract 3.4, rule 3; 5.7).
 */
const ownMetrics = ({ metrics, body }: RecordRow): JsonObject => {
  const own = Object.entries(metrics)
    .filter(([, { rolledUp }]) => !rolledUp)
    .map(([name, { value }]): [string, Json] => [name, value]);
  const unfit = (body['metrics'] ?? {}) as JsonObject;
  return Object.fromEntries([...own, ...Object.entries(unfit)]);
};

/**
 * Status by metric. An error overrides a value, since the evaluation failed (contract 3.9);
 * `metrics` still has the value.
 */
const metricInfo = (row: RecordRow, types: MetricTypes): JsonObject => {
  const { kind, metrics, errors, body } = row;
  const scores = (body['scorer_values'] ?? {}) as JsonObject;
  const found = Object.entries(metrics).map(([name, cell]): [string, Json] => [
    name,
    {
      ...metricView(name, kind, cell),
      ...(Object.hasOwn(scores, name) && { scorer_value: scores[name] ?? null }),
      ...(name === 'cost' && body['priced'] === true && { price: body['price'] ?? null }),
    },
  ]);
  const failed = [...unfitValues(row, types), ...Object.entries(errors)];
  return Object.fromEntries([
    ...found,
    ...failed.map(([name, error]): [string, Json] => [name, errorView(error)]),
  ]);
};

type MetricTypes = ReadonlyMap<string, MetricType>;
const noTypes: MetricTypes = new Map();

/** Own values that do not fit their metric's type (contract 3.4, rule 3). */
const unfitValues = (
  { metrics, body }: RecordRow,
  types: MetricTypes,
): readonly [string, MetricError][] => {
  const unfit: [string, MetricError][] = [];
  for (const name of Object.keys((body['metrics'] ?? {}) as JsonObject)) {
    const type = registryMetricByName.get(name)?.type;
    if (type !== undefined) unfit.push([name, unfitValueError(name, type)]);
  }
  if (types.size === 0) return unfit;
  for (const [name, cell] of Object.entries(metrics)) {
    const type = cell.rolledUp ? undefined : types.get(name);
    if (type !== undefined && !valueFitsType(cell, type))
      unfit.push([name, unfitValueError(name, type)]);
  }
  return unfit;
};

const errorView = (error: MetricError): Json => {
  const structured = structuredError(error);
  return {
    status_type: 'error',
    message: structured.message,
    ems_error_code: error.code,
    standard_error: structured,
  };
};

/** Roll-up method. Durations are elapsed time, except for sessions, which average them. */
const methodOf = (name: string, kind: RecordKind, method: MetricCell['method']): string => {
  if (name === 'duration_ns' && kind !== 'session') return 'elapsed';
  return registryMetricByName.get(name)?.rollUp ?? method ?? 'average';
};

const metricView = (
  name: string,
  kind: RecordKind,
  { value, rolledUp, method }: MetricCell,
): JsonObject =>
  rolledUp
    ? {
        status_type: 'roll_up',
        value,
        roll_up_metrics: { [methodOf(name, kind, method)]: value },
      }
    : { status_type: 'success', value };
