import { Type, type TObject } from 'typebox';
import { id } from '../kernel/schema-types.js';

/** Number of a version of a prompt template, or a label that means one (contract 5.18). */
export const versionOrLabel = Type.String({ minLength: 1, maxLength: 64 });

/** Parameters of paths: one name is one kind of value, wherever it stands. */
const pathParameters = {
  project_id: id('ProjectId'),
  run_id: id('RunId'),
  log_stream_id: id('RunId'),
  experiment_id: id('RunId'),
  trace_id: id('TraceId'),
  span_id: id('SpanId'),
  session_id: id('SessionId'),
  dataset_id: id('DatasetId'),
  version_index: Type.Integer({ minimum: 1 }),
  user_id: id('UserId'),
  group_id: id('GroupId'),
  api_key_id: id('ApiKeyId'),
  scorer_id: id('ScorerId'),
  task_id: id('ScorerTaskId'),
  job_id: id('JobId'),
  template_id: id('TemplateId'),
  tag_id: id('TagId'),
  view_id: id('ViewId'),
  prompt_template_id: id('PromptTemplateId'),
  version: versionOrLabel,
  label: Type.String({ pattern: '^[a-z][a-z0-9_-]{0,63}$' }),
  integration_id: id('IntegrationId'),
} as const;

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** Schema of the parameters that a path names: `/v2/projects/{project_id}`. */
export type PathParameters<Path extends string> = TObject<{
  [Name in NamesIn<Path>]: Name extends keyof typeof pathParameters
    ? (typeof pathParameters)[Name]
    : never;
}>;

/** Parameters that a path names. An operation declares its own where a name is not listed. */
export const parametersIn = <Path extends string>(path: Path): PathParameters<Path> => {
  const place = (name: string) => path.indexOf(`{${name}}`);
  const named = Object.entries(pathParameters).filter(([name]) => place(name) >= 0);
  const inOrder = named.toSorted(([one], [other]) => place(one) - place(other));
  return Type.Object(Object.fromEntries(inOrder)) as PathParameters<Path>;
};
