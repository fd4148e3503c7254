import { Type } from 'typebox';
import type { JsonObject } from '../../kernel/schema-types.js';
import { projectMember, runMembers, writeResult, writeTool, type McpTool } from './tool.js';

const nameMember = { name: Type.String({ minLength: 1, maxLength: 255 }) };

const createLogStream = writeTool({
  name: 'create_log_stream',
  title: 'Create a log stream',
  description: 'Creates a log stream in a project. A name that is taken is refused.',
  effect: 'adds',
  repeatable: false,
  members: { ...projectMember, ...nameMember },
  run: async ({ project, name }, { call, names }) => {
    const path = `/projects/${await names.project(project)}/log_streams`;
    const { body } = await call<JsonObject>('POST', path, { body: { name } });
    return writeResult({ created: { id: body['id'] ?? null, name: body['name'] ?? null } });
  },
});

const createExperiment = writeTool({
  name: 'create_experiment',
  title: 'Create an experiment',
  description:
    'Creates an experiment, into which traces are then logged by log_trace. It generates nothing ' +
    'itself. A name that is taken is refused.',
  effect: 'adds',
  repeatable: false,
  members: {
    ...projectMember,
    ...nameMember,
    group: Type.Optional(
      Type.String({ description: 'The experiment group that it is ranked in; made when new.' }),
    ),
    dataset: Type.Optional(Type.String({ description: 'Name or id of the dataset it runs over.' })),
    dataset_version: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Left out: the newest version.' }),
    ),
  },
  run: async (asked, { call, names }) => {
    const projectId = await names.project(asked.project);
    const datasetId = asked.dataset === undefined ? null : await names.dataset(asked.dataset);
    const newest = async (id: string): Promise<JsonObject[string]> =>
      (await call<JsonObject>('GET', `/datasets/${id}`)).body['current_version_index'] ?? null;
    const dataset =
      datasetId === null
        ? {}
        : {
            dataset: {
              dataset_id: datasetId,
              version_index: asked.dataset_version ?? (await newest(datasetId)),
            },
          };
    const { body } = await call<JsonObject>('POST', `/projects/${projectId}/experiments`, {
      body: {
        name: asked.name,
        ...dataset,
        ...(asked.group !== undefined && { experiment_group_name: asked.group }),
      },
    });
    return writeResult({ created: { id: body['id'] ?? null, name: body['name'] ?? null } });
  },
});

const logTrace = writeTool({
  name: 'log_trace',
  title: 'Log a trace',
  description:
    'Records one trace with its spans, into a log stream or an experiment; without either into ' +
    'the log stream default. Give an id, a uuid of your own, when the call may be repeated: then ' +
    'the trace is recorded once.',
  effect: 'adds',
  repeatable: false,
  members: {
    ...projectMember,
    ...runMembers,
    id: Type.Optional(Type.String({ description: 'A uuid.' })),
    name: Type.Optional(Type.String()),
    input: Type.String(),
    output: Type.Optional(Type.String()),
    created_at: Type.Optional(Type.String({ description: 'When it began; left out: now.' })),
    session_id: Type.Optional(Type.String({ description: 'A uuid; a new one makes a session.' })),
    status_code: Type.Optional(Type.Integer()),
    tags: Type.Optional(Type.Array(Type.String())),
    user_metadata: Type.Optional(Type.Record(Type.String(), Type.String())),
    metrics: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.Number(), Type.Boolean(), Type.String()]), {
        description: 'By name: {"reward": 1, "duration_ns": 2000000000}.',
      }),
    ),
    dataset_input: Type.Optional(Type.String()),
    dataset_output: Type.Optional(Type.String({ description: 'The reference output.' })),
    spans: Type.Optional(
      Type.Array(Type.Record(Type.String(), Type.Unknown()), {
        maxItems: 1_000,
        description:
          'Steps, each with type (llm, retriever, tool, workflow, agent, control), name, input, ' +
          'output, metrics, and spans below it; of type llm also model, with messages {"role": ' +
          '"user", "content": "…"} as input.',
      }),
    ),
  },
  run: async ({ project, log_stream, experiment, ...trace }, { call, names }) => {
    const projectId = await names.project(project);
    const into = { ...(log_stream && { log_stream }), ...(experiment && { experiment }) };
    const { body } = await call<{ readonly trace_ids: readonly string[] } & JsonObject>(
      'POST',
      `/projects/${projectId}/traces`,
      {
        body: { ...(await names.run(projectId, into)), traces: [trace] },
        place: (loc) =>
          loc
            .slice(1)
            .join('.')
            .replace(/^traces\.0\.?/, ''),
      },
    );
    return writeResult({
      trace_id: body.trace_ids[0] ?? null,
      project_id: projectId,
      run_id: body['log_stream_id'] ?? body['experiment_id'] ?? null,
      new_records: body['new_records_count'] ?? null,
      cut_texts: body['truncated'] ?? [],
    });
  },
});

const rateTrace = writeTool({
  name: 'rate_trace',
  title: 'Rate a trace',
  description:
    'Gives a trace a rating by an annotation template, in the name of the owner of the key. It ' +
    'replaces the rating that they gave before; ratings of other users stay as they are.',
  effect: 'replaces',
  repeatable: true,
  members: {
    ...projectMember,
    trace_id: Type.String(),
    template: Type.String({ description: 'Name or id, see list_annotation_templates.' }),
    value: Type.Union([Type.Boolean(), Type.Number(), Type.String(), Type.Array(Type.String())], {
      description:
        'As the template says: like_dislike true or false; star 1 to 5; score a whole number; ' +
        'tags a list; choice and text a text.',
    }),
    explanation: Type.Optional(Type.String({ minLength: 1, maxLength: 4_096 })),
  },
  run: async ({ project, trace_id, template, value, explanation }, { call, names }) => {
    const projectId = await names.project(project);
    const { id, name, constraints } = await names.template(projectId, template);
    const trace = encodeURIComponent(trace_id);
    const path = `/projects/${projectId}/annotation/templates/${id}/traces/${trace}/rating`;
    const { body } = await call<JsonObject>('PUT', path, {
      body: {
        rating: { annotation_type: constraints['annotation_type'] ?? null, value },
        ...(explanation !== undefined && { explanation }),
      },
      place: (loc) =>
        loc
          .slice(1)
          .join('.')
          .replace(/^rating\.?/, ''),
    });
    return writeResult({ trace_id, template: name, rating: body['rating'] ?? null });
  },
});

/** Tools that `--write` adds for logging and rating. */
export const writeTools: readonly McpTool[] = [
  createLogStream,
  createExperiment,
  logTrace,
  rateTrace,
];
