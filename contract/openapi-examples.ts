import type { Json, JsonObject } from '../kernel/schema-types.js';
import { spanFieldNames, spanFields } from '../kernel/records/span-fields.js';
import { exampleIds } from './example-ids.js';

const ids: Readonly<Record<string, string>> = {
  ...exampleIds,
  run_id: exampleIds.log_stream_id,
  created_by: exampleIds.user_id,
  parent_id: exampleIds.trace_id,
  trace: exampleIds.trace_id,
  metrics_experiment_id: exampleIds.experiment_id,
  default_version_id: exampleIds.scorer_version_id,
};
/** Id example by record, where the record's name does not imply it. */
const owners: Readonly<Record<string, string>> = {
  NewApiKey: 'api_key_id',
  SessionTree: 'session_id',
  TraceTree: 'trace_id',
  SpanTree: 'span_id',
  CreateSessionResponse: 'session_id',
  RunSummary: 'log_stream_id',
  ExperimentTag: 'tag_id',
  AnnotationTemplate: 'template_id',
  ScorerTask: 'task_id',
  RunScorer: 'scorer_id',
  OrgJob: 'job_id',
  UserSummary: 'user_id',
  OwnGroup: 'group_id',
  SavedView: 'view_id',
};
const otherId = '8f7e6d5c-4b3a-4291-8071-6f5e4d3c2b10';

const names: Readonly<Record<string, string>> = {
  Project: 'airline',
  LogStream: 'production',
  RunSummary: 'production',
  Experiment: 'prompt 7',
  Dataset: 'questions',
  ExperimentDataset: 'questions',
  DatasetVersion: 'Version 1',
  Group: 'Reviewers',
  OwnGroup: 'Reviewers',
  Scorer: 'politeness',
  RunScorer: 'politeness',
  AnnotationTemplate: 'Helpful',
  Integration: 'openai',
  Role: 'owner',
  SavedView: 'refunds that failed',
};
const texts: Readonly<Record<string, string>> = {
  email: 'ada@example.org',
  first_name: 'Ada',
  last_name: 'Lovelace',
  organization_name: 'Example',
  project_name: 'airline',
  auth_method: 'email',
  name: 'book',
  group_name: 'Reviewers',
  display_name: 'Owner',
  experiment_group_name: 'prompts',
  type: 'gen_ai',
  action: 'update',
  labels: 'production',
  tags: 'paid',
  column_names: 'question',
  group_by_columns: 'name',
  group_by: 'book',
  key: 'branch',
  value: 'main',
  tag_type: 'generic',
  label: 'Politeness',
  explanation: 'to the point',
  criteria: 'Did the answer help?',
  msg: 'Field required',
  finish_reason: 'stop',
  metadata_key: 'customer',
  metadata_value: 'acme',
  customer: 'acme',
  GetScorerCode: 'def scorer_fn(*, node_output, **_):\n    return len(node_output) / 100\n',
  description: 'Bookings by chat',
  message: 'Done',
  truncated: 'asy_003a...sngO',
  api_key: 'asy_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf0osngO',
  access_token: 'eyJhbGciOiJFUzI1NiIs...',
  invitation_token: 'asy_invite_...',
  version: '0.1.0',
  page: 'traces',
  state: 'f=status_code+%3E%3D+400',
  input: 'a flight, please',
  output: 'booked',
  model: 'model-a',
  detail: 'Not found',
  metric: 'reward',
};
/** Members that are usually null in a response. */
const absent: ReadonlySet<string> = new Set([
  'next_starting_token',
  'experiment_id',
  'metrics_testing_id',
  'previous_session_id',
  'message',
  'warning_message',
  'redacted_input',
  'redacted_output',
  'dataset_input',
  'dataset_output',
  'external_id',
  'tools',
  'events',
  ...spanFieldNames.filter((name) => spanFields[name].kind !== 'llm'),
  'prompt_model',
  'user_action',
  'documentation_link',
  'http_status_code',
  'column_mapping',
  'threshold',
  'error_message',
  'failed_at',
  'updated_by_user',
  'playground',
  'playground_id',
  'prompt',
  'prompt_run_settings',
]);
/** Maps that are usually empty. */
const empty: ReadonlySet<string> = new Set([
  'annotations',
  'annotation_aggregates',
  'aggregate_feedback',
  'rating_aggregates',
  'dataset_metadata',
  'standard_errors',
]);
const numbers: Readonly<Record<string, number>> = {
  starting_token: 0,
  limit: 100,
  status_code: 200,
  progress_percent: 100,
  task_type: 16,
  total_responses: 10,
};
const negative: ReadonlySet<string> = new Set([
  'paginated',
  'bookmark',
  'deprecated',
  'inverted',
  'blocking',
  'ems_captured_error',
  'is_disabled',
  'remaining',
  'experiment_group_is_system',
]);

type ExamplePath = {
  readonly member: string;
  readonly owner: string;
  readonly stack: readonly string[];
};

/** Example of a path parameter. */
export const exampleParameter = (name: string): string | number =>
  ({
    provider_segment: 'openai',
    version_index: 1,
    version: 1,
    label: 'production',
    resource: 'project',
    id: ids['project_id'],
  })[name] ??
  ids[name] ??
  otherId;

/** Example value of a schema. `schemas` are the components it refers to. */
export const exampleOf = (
  schema: Json,
  schemas: ReadonlyMap<string, Json>,
  called: string,
): Json => {
  const referred = (name: string, { member, stack }: ExamplePath): Json =>
    sample(objectOf(schemas.get(name)), { member, owner: name, stack: [...stack, name] });
  const sample = (one: JsonObject, place: ExamplePath): Json => {
    const { $ref, anyOf, oneOf } = one;
    if (typeof $ref === 'string') return referred(nameOf($ref), place);
    const branches = (anyOf ?? oneOf) as readonly JsonObject[] | undefined;
    const types = typesOf(one, branches);
    const isAny =
      types.length === 0 && branches === undefined && !('enum' in one || 'const' in one);
    if ((isAny || types.includes('null')) && absent.has(place.member)) return null;
    if (branches !== undefined) return sample(branches[0] ?? {}, place);
    if ('const' in one) return one['const'] ?? null;
    if (Array.isArray(one['enum'])) return (one['enum'] as readonly Json[])[0] ?? null;
    switch (types[0] ?? '') {
      case 'object':
        return object(one, place);
      case 'array':
        return list(objectOf(one['items']), place);
      case 'string':
        return textOf(one, place);
      case 'integer':
        return numbers[place.member] ?? 1;
      case 'number':
        return numbers[place.member] ?? 0.5;
      case 'boolean':
        return !negative.has(place.member);
      case 'null':
        return null;
      default:
        return texts[place.member] ?? 1;
    }
  };
  const object = (whole: JsonObject, place: ExamplePath): Json => {
    const { properties, additionalProperties: others } = whole;
    const named = Object.entries(objectOf(properties)).map(([member, one]) => [
      member,
      sample(objectOf(one), { ...place, member }),
    ]);
    const isMap = typeof others === 'object' && others !== null;
    const key = place.member === 'user_metadata' ? 'customer' : 'reward';
    if (isMap && !empty.has(place.member))
      named.push([key, sample(objectOf(others), { ...place, member: key })]);
    return Object.fromEntries(named) as JsonObject;
  };
  /** Items of a list; a record inside one of its own kind has no children. */
  const list = (items: JsonObject, place: ExamplePath): Json => {
    const { $ref } = items;
    const isInside = typeof $ref === 'string' && place.stack.includes(nameOf($ref));
    return isInside ? [] : [sample(items, place)];
  };
  return sample(objectOf(schema), { member: called, owner: '', stack: [] });
};

const objectOf = (value: Json | undefined): JsonObject => (value ?? {}) as JsonObject;
const nameOf = (reference: string): string => reference.replace('#/components/schemas/', '');

const typesOf = (schema: JsonObject, branches: readonly JsonObject[] = []): readonly string[] =>
  [schema, ...branches].flatMap(({ type }) => (type ?? []) as string | readonly string[]);

const textOf = ({ format }: JsonObject, { member, owner }: ExamplePath): string => {
  if (format === 'date-time') return '2026-03-01T09:00:00.000000Z';
  if (member === 'id' || format === 'uuid') {
    const own = owner.replaceAll(/(?!^)[A-Z]/g, '_$&').toLowerCase();
    return ids[member === 'id' ? (owners[owner] ?? `${own}_id`) : member] ?? otherId;
  }
  const name = member === 'name' ? names[owner] : undefined;
  return name ?? texts[member] ?? member.replaceAll('_', ' ');
};
