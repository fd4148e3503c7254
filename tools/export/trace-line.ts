import { longTextsCode, unfitValueCode } from '../../kernel/records/evaluation-errors.js';
import type { Json, JsonObject } from '../../kernel/schema-types.js';

/** Members that the service adds to a record (contract 5.7): they cannot be sent. */
const serverAddedMembers: ReadonlySet<string> = new Set([
  'project_id',
  'run_id',
  'trace_id',
  'session_id',
  'parent_id',
  'updated_at',
  'has_children',
  'is_complete',
  'metric_info',
  'annotations',
  'annotation_aggregates',
  'fully_annotated',
  'num_spans',
]);
/**
 * Members that are omitted when empty; others, such as `input`, may be empty because that was sent.
 */
const omittedWhenEmpty: ReadonlySet<string> = new Set([
  'name',
  'tags',
  'user_metadata',
  'metrics',
  'dataset_metadata',
  'spans',
]);

/**
 * Converts a trace from the form of `GET …/traces/{id}` to that of `POST …/traces` (contract 5.6):
 * sent to another project it reads there as it does here, except for its project, ratings and time
 * of the last change.
 */
export const traceLine = (trace: JsonObject): JsonObject => {
  const { id, session_id: session, is_complete: complete } = trace;
  return {
    ...sentMembers(trace, null),
    ...(session !== id && session != null && { session_id: session }),
    ...(complete === false && { is_complete: false }),
  };
};

const sentMembers = (record: JsonObject, above: Json): JsonObject => {
  const members: Record<string, Json> = {};
  for (const [name, value] of Object.entries(record)) {
    if (serverAddedMembers.has(name) || name === 'spans' || name === 'metrics' || value === null)
      continue;
    if (!omittedWhenEmpty.has(name) || !isEmpty(value)) members[name] = value;
  }
  const metrics = { ...(record['metrics'] as JsonObject), ...errorsOf(record) };
  if (!isEmpty(metrics)) members['metrics'] = metrics;
  const { parent_id: parent = null, spans = [], id = null } = record;
  // Too deep a tree is flattened at its end, where nesting does not show the parent of a span.
  if (above !== null && parent !== null && parent !== above) members['parent_id'] = parent;
  if (!isEmpty(spans)) {
    members['spans'] = (spans as readonly JsonObject[]).map((span) => sentMembers(span, id));
  }
  return members;
};

const isEmpty = (value: Json): boolean =>
  value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

/**
 * Failed evaluations, as the members beside a metric (contract 3.4, rule 1). Errors that the
 * service sets itself are omitted: it will find them again.
 */
const errorsOf = ({ metric_info: info }: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries((info ?? {}) as Readonly<Record<string, JsonObject>>)
      .filter(([, { status_type: status, ems_error_code: code }]) => {
        return status === 'error' && code !== longTextsCode && code !== unfitValueCode;
      })
      .flatMap(([name, { ems_error_code: code = null, message = null }]) => [
        [`${name}_ems_error_code`, code],
        [`${name}_error_message`, message],
      ]),
  );
