import { presetScorers } from '../../contract/scorers.js';
import type { FormPart } from '../support/multipart-forms.js';
import { mark, type Planter } from './canary-planter.js';

type Made = { readonly id: string };
/** Objects that are made to be deleted. */
export type ProjectFixture = {
  readonly project: string;
  readonly stream: string;
  readonly experiment: string;
  readonly dataset: string;
  readonly session: string;
  readonly traces: readonly string[];
  readonly template: string;
  readonly view: string;
};

export const scorerSource = `# ${mark}
def scorer_fn(*, node_input: str, **kwargs) -> int:
    return 1
`;
const scorerFile = { name: 'file', fileName: `${mark}.py`, content: scorerSource };
const message = { role: 'user', content: mark };
const words = { input: mark, output: mark, redacted_input: mark, redacted_output: mark };
const record = {
  ...words,
  name: mark,
  user_metadata: { [mark]: mark },
  tags: [mark],
  metrics: { [`m${mark}`]: 1, text: mark },
  external_id: mark,
  dataset_input: mark,
  dataset_output: mark,
  dataset_metadata: { [mark]: mark },
};
const call = { id: mark, function: { name: mark, arguments: mark } };
const spans = [
  {
    ...record,
    type: 'llm',
    input: [message, { role: 'user', content: [{ type: 'text', text: mark }] }],
    output: { role: 'assistant', content: mark, tool_call_id: mark, tool_calls: [call] },
    redacted_input: [message],
    redacted_output: message,
    model: mark,
    finish_reason: mark,
    tools: [{ [mark]: mark }],
    events: [{ type: 'message', role: 'assistant', content: mark, status: 'completed' }],
  },
  {
    ...record,
    type: 'retriever',
    output: [{ content: mark, metadata: { [mark]: mark } }],
    redacted_output: [{ content: mark }],
  },
  { ...record, type: 'tool', tool_call_id: mark },
  { ...record, type: 'workflow' },
  { ...record, type: 'agent' },
  {
    ...record,
    type: 'control',
    output: { action: 'observe', matched: false, error_message: mark },
    redacted_output: { action: 'observe', matched: false, error_message: mark },
    agent_name: mark,
    evaluator_name: mark,
    selector_path: mark,
  },
];
const said = (key: string, value: string) => ({ key, value: { stringValue: value } });
/** Spans as an exporter sends them, the root last. */
const exported = (traceId: string, more: readonly object[]) => {
  const span = {
    traceId,
    name: mark,
    startTimeUnixNano: '1772355600000000000',
    endTimeUnixNano: '1772355601000000000',
    attributes: [
      said('gen_ai.operation.name', 'chat'),
      said('gen_ai.input.messages', JSON.stringify([{ role: 'user', content: mark }])),
      ...more,
      said(mark, mark),
    ],
    events: [{ timeUnixNano: '1772355600500000000', name: mark, attributes: [said(mark, mark)] }],
    links: [{ traceId, spanId: 'eee19b7ec3c1b174', attributes: [said(mark, mark)] }],
    status: { code: 2, message: mark },
  };
  const spans = [
    { ...span, spanId: 'eee19b7ec3c1b174', parentSpanId: 'eee19b7ec3c1b175' },
    { ...span, spanId: 'eee19b7ec3c1b175' },
  ];
  return {
    resourceSpans: [
      {
        resource: { attributes: [said('service.name', mark)] },
        scopeSpans: [{ scope: { name: mark, attributes: [said(mark, mark)] }, spans }],
      },
    ],
  };
};
const rows = `input,side\n${mark},${mark}\n`;

type Filling = {
  /** Metadata of its session, beside canaries. */
  readonly metadata: Readonly<Record<string, string>>;
  /** True if a scorer is validated on its dataset. */
  readonly validates: boolean;
};

const onDataset = (dataset: string, project: string): readonly FormPart[] => [
  scorerFile,
  { name: 'dataset_id', content: dataset },
  { name: 'project_id', content: project },
];

/** Every write that a project knows, each text of it a canary. */
export const fillProject = async (
  { send: sendTo }: Planter,
  world: string,
  { metadata, validates }: Filling,
): Promise<ProjectFixture> => {
  const send = <T = Made>(operation: string, sent: Parameters<typeof sendTo>[2]): Promise<T> =>
    sendTo<T>(world, operation, sent);
  const { id: project_id } = await send('createProject', { body: { name: mark } });
  const inProject = { params: { project_id } };
  await send('changeProject', {
    ...inProject,
    body: { name: mark, description: mark, labels: [mark] },
  });
  const { id: log_stream_id } = await send('createLogStream', {
    ...inProject,
    body: { name: mark },
  });
  const params = { project_id, log_stream_id, run_id: log_stream_id };
  await send('renameLogStream', { params, body: { name: mark } });
  await send('changeInsightsSettings', {
    params,
    body: { insights: { logstream: { enabled: true } } },
  });
  const scorers = [{ id: presetScorers[0].id, name: 'bleu', scorer_type: 'preset' }];
  for (const how of ['setScorerSettings', 'changeScorerSettings'])
    await send(how, { params, body: { scorers } });
  const dataset = await fillDataset(send, project_id);
  // Its records have the rows: they go with the project, not with the dataset.
  if (validates) await send('validateScorerOnDataset', { parts: onDataset(dataset, project_id) });
  const experiment = await fillExperiment(send, { project_id, dataset, scorers });
  const { id: session } = await send('createSession', {
    ...inProject,
    body: {
      log_stream_id,
      name: mark,
      external_id: mark,
      user_metadata: { [mark]: mark, ...metadata },
      client_version: mark,
    },
  });
  const trace = { ...record, spans };
  // Bytes are stored as they were sent, unless they have what no operation names.
  const written = { ...trace, not_a_member: mark };
  const logged = await send<{ trace_ids: string[] }>('logTraces', {
    ...inProject,
    body: {
      log_stream_id,
      include_trace_ids: true,
      client_version: mark,
      session_external_id: mark,
      traces: [trace, written],
    },
  });
  const more = await send<{ trace_ids: string[] }>('logTraces', {
    ...inProject,
    body: { log_stream_id, include_trace_ids: true, session_id: session, traces: [trace] },
  });
  // Neither in a session nor changed later: folded without its rows.
  await send('logTraces', { ...inProject, body: { log_stream_id, traces: [trace, written] } });
  const headers = { projectid: project_id, logstreamid: log_stream_id };
  for (const [at, operation] of [
    'receiveSpans',
    'receiveSpansOtelV1',
    'receiveSpansOtel',
  ].entries()) {
    const attributes = at === 0 ? [] : [said('session.id', mark)];
    const body = exported(`5b8efff798038103d269b633813fc60${at}`, attributes);
    await send(operation, { headers, body });
  }
  const traces = [...logged.trace_ids, ...more.trace_ids];
  await fillTrace(send, project_id, traces);
  const template = await fillTemplates(send, project_id, traces);
  const { id: view } = await send('createView', {
    ...inProject,
    body: { name: mark, page: mark, state: mark },
  });
  await send('changeView', {
    params: { project_id, view_id: view },
    body: { name: mark, state: mark },
  });
  return {
    project: project_id,
    stream: log_stream_id,
    experiment,
    dataset,
    session,
    traces,
    template,
    view,
  };
};

type Send = <T = Made>(operation: string, sent: Parameters<Planter['send']>[2]) => Promise<T>;

const fillDataset = async (send: Send, project_id: string): Promise<string> => {
  const { id: dataset_id } = await send('createDataset', {
    parts: [
      { name: 'name', content: mark },
      { name: 'project_id', content: project_id },
      { name: 'column_mapping', content: '{"input":["input"],"metadata":["side"]}' },
      { name: 'file', content: rows, fileName: `${mark}.csv` },
    ],
  });
  const params = { dataset_id, project_id };
  const edits = [
    { edit_type: 'append_row', values: { input: mark, [mark]: mark } },
    { edit_type: 'rename_column', column_name: 'side', new_column_name: mark },
  ];
  await send('editDatasetContent', { params, body: { edits } });
  await send('changeDataset', { params, body: { name: { value: mark } } });
  await send('replaceDatasetContent', { params, body: { rollback_version: 1 } });
  await send('appendDatasetRecords', {
    params,
    body: { project_id, columns: { [mark]: 'input' } },
  });
  return dataset_id;
};

const fillExperiment = async (
  send: Send,
  made: { readonly project_id: string; readonly dataset: string; readonly scorers: unknown },
): Promise<string> => {
  const { project_id, dataset: dataset_id, scorers } = made;
  const prompt_settings = {
    reasoning_effort: mark,
    verbosity: mark,
    deployment_name: mark,
    model_alias: mark,
    stop_sequences: [mark],
    tools: [{ [mark]: mark }],
    tool_choice: mark,
    response_format: { [mark]: mark },
  };
  const { id: experiment_id } = await send('createExperiment', {
    params: { project_id },
    body: {
      name: mark,
      scorers,
      prompt_settings,
      experiment_group_name: mark,
      dataset: { dataset_id, version_index: 1 },
      prompt_template_version_id: mark,
      prompt: { prompt_template_id: mark, version_index: 1, name: mark, content: mark },
      playground_id: mark,
      playground_prompt_id: mark,
    },
  });
  const params = { project_id, experiment_id };
  await send('changeExperiment', { params, body: { name: mark, experiment_group_name: mark } });
  const criteria = [{ metric: `metrics/${mark}`, weight: 1, direction: 'higher' }];
  await send('setRankingCriteria', { params, body: { criteria } });
  const prices = [{ model: mark, from: '2026-03-01T00:00:00Z', input: 1, output: 2 }];
  await send('setPriceList', { params, body: { prices } });
  await send('setModelAccess', { params, body: { default_model: mark, judge_model: mark } });
  await send('chooseExperimentWinner', { params });
  await send('withdrawExperimentWinner', { params });
  const body = { key: mark, value: mark, tag_type: mark };
  const { id: tag_id } = await send('tagExperiment', { params, body });
  await send('tagExperiment', { params, body });
  await send('changeExperimentTag', { params: { ...params, tag_id }, body });
  await send('untagExperiment', { params: { ...params, tag_id } });
  return experiment_id;
};

const fillTrace = async (
  send: Send,
  project_id: string,
  traces: readonly string[],
): Promise<void> => {
  for (const trace_id of traces) {
    const span_id = crypto.randomUUID();
    const changes = { input: mark, output: mark, tags: [mark], metrics: { [`m${mark}`]: 2 } };
    const told = { client_version: mark };
    await send('updateTrace', { params: { project_id, trace_id }, body: { ...changes, ...told } });
    const late = { ...record, type: 'tool', id: span_id };
    const body = { trace_id, parent_id: trace_id, spans: [late, ...spans], ...told };
    await send('logSpans', { params: { project_id }, body });
    await send('updateSpan', { params: { project_id, span_id }, body: { ...changes, ...told } });
  }
};

const fillTemplates = async (
  send: Send,
  project_id: string,
  traces: readonly string[],
): Promise<string> => {
  const params = { project_id };
  const make = (constraints: object) =>
    send('createAnnotationTemplate', { params, body: { name: mark, criteria: mark, constraints } });
  const tags = await make({ annotation_type: 'tags', tags: [mark], allow_other: true });
  const choice = await make({ annotation_type: 'choice', choices: [mark], allow_other: true });
  const { id: template_id } = await make({ annotation_type: 'text' });
  const changed = { params: { ...params, template_id }, body: { name: mark, criteria: mark } };
  await send('changeAnnotationTemplate', changed);
  const ordering = [template_id, tags.id, choice.id];
  await send('reorderAnnotationTemplates', { params, body: { ordering } });
  const operation = (annotation_template_id: string, rating: object) => ({
    annotation_template_id,
    rating,
    explanation: mark,
  });
  await send('rateTraces', {
    params,
    body: {
      operations: [
        operation(tags.id, { annotation_type: 'tags', value: [mark] }),
        operation(choice.id, { annotation_type: 'choice', value: mark }),
      ],
      selector: { selector_type: 'traces', traces },
    },
  });
  for (const trace_id of traces) {
    const rated = { ...params, template_id, trace_id };
    const rating = { annotation_type: 'text', value: mark };
    await send('giveRating', { params: rated, body: { rating, explanation: mark } });
  }
  const withdrawn = { ...params, template_id, trace_id: traces[0] ?? '' };
  await send('withdrawRating', { params: withdrawn });
  return template_id;
};
