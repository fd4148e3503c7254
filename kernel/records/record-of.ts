import { shownAnnotations } from './feedback.js';
import { registryMetric } from './columns.js';
import { structuredError } from './evaluation-errors.js';
import type { MetricCell, RecordKind, RecordRow } from './record.js';
import type { Json, JsonObject } from '../shapes.js';

type Members = Record<string, Json>;

/**
 * Members of contract 5.6 that only this kind has and whose column holds them as they were sent.
 */
export const ownMembers: Readonly<Record<RecordKind, readonly string[]>> = {
  session: [],
  trace: [],
  workflow: [],
  retriever: [],
  llm: ['model', 'temperature', 'finish_reason'],
  tool: ['tool_call_id'],
  agent: ['agent_type'],
  control: [
    'control_id',
    'agent_name',
    'check_stage',
    'applies_to',
    'evaluator_name',
    'selector_path',
  ],
};

/**
 * The record as read (contract 5.7) without its tree, counts and what ratings say: every member is
 * there, null, `""`, `[]` or `{}` where nothing was sent. The inverse of the fold in
 * projections/records.
 */
export const recordOf = (row: RecordRow): JsonObject => {
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
    external_id: value('external_id'),
    dataset_input: value('dataset_input'),
    dataset_output: value('dataset_output'),
    dataset_metadata: body['dataset_metadata'] ?? {},
    has_children: kind === 'session' ? tracesOf(row) > 0 : (values['has_children'] ?? false),
    is_complete:
      kind === 'session' ? (body['is_complete'] ?? true) : (values['is_complete'] ?? false),
    metric_info: metricInfo(row),
  };
  if (kind === 'session') members['previous_session_id'] = body['previous_session_id'] ?? null;
  else if (kind === 'trace') members['annotations'] = shownAnnotations(row);
  else {
    members['parent_id'] = value('parent_id');
    members['step_number'] = value('step_number');
    for (const name of ownMembers[kind]) members[name] = value(name);
  }
  if (kind === 'llm') {
    const { tools } = values;
    members['tools'] = typeof tools === 'string' ? (JSON.parse(tools) as Json) : null;
    members['events'] = body['events'] ?? null;
  }
  return members;
};

/** How many traces a session has; 0 for other records. */
export const tracesOf = ({ body }: RecordRow): number => Number(body['traces'] ?? 0);

/** The value as it was sent: whole in the body, or by its text and the role of its only message. */
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
 * An error wins over a value: it says that the evaluation failed (contract 3.9), and `metrics`
 * still has the value.
 */
const metricInfo = ({ kind, metrics, errors, body }: RecordRow): JsonObject => {
  const scores = (body['scorer_values'] ?? {}) as JsonObject;
  const found = Object.entries(metrics).map(([name, cell]): [string, Json] => [
    name,
    {
      ...shown(name, kind, cell),
      ...(Object.hasOwn(scores, name) && { scorer_value: scores[name] ?? null }),
    },
  ]);
  const failed = Object.entries(errors).map(([name, error]): [string, Json] => {
    const structured = structuredError(error);
    return [
      name,
      {
        status_type: 'error',
        message: structured.message,
        ems_error_code: error.code,
        standard_error: structured,
      },
    ];
  });
  return Object.fromEntries([...found, ...failed]);
};

/** Of all but sessions, whose durations average, it is the time that passed. */
const methodOf = (name: string, kind: RecordKind, method: MetricCell['method']): string => {
  if (name === 'duration_ns' && kind !== 'session') return 'elapsed';
  return registryMetric.get(name)?.rollUp ?? method ?? 'average';
};

const shown = (
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
