import type { Client } from './client.js';
import { formRequest } from './multipart-forms.js';

type Made = { readonly id: string };

/**
 * One of every object that a path or a body can name, created by this caller, by the name of the
 * member: legal requests find what they name. `name` is that of all of them.
 */
export const createOneOfEach = async (
  client: Client,
  name: string,
): Promise<Readonly<Record<string, unknown>>> => {
  const project = await client.call<Made>('POST', '/v2/projects', { body: { name } });
  const root = `/v2/projects/${project.body.id}`;
  const stream = await client.call<Made>('POST', `${root}/log_streams`, { body: { name } });
  const experiment = await client.call<Made>('POST', `${root}/experiments`, {
    body: { name, experiment_group_name: name },
  });
  const tag = await client.call<Made>('POST', `${root}/experiments/${experiment.body.id}/tags`, {
    body: { key: 'fuzz', value: 'fuzz', tag_type: 'fuzz' },
  });
  const session = await client.call<Made>('POST', `${root}/sessions`, {
    body: { log_stream_id: stream.body.id, name },
  });
  const span = crypto.randomUUID();
  const logged = await client.call<{ trace_ids: string[] }>('POST', `${root}/traces`, {
    body: {
      log_stream_id: stream.body.id,
      include_trace_ids: true,
      traces: [{ input: 'in', spans: [{ type: 'tool', id: span, input: 'in' }] }],
    },
  });
  const group = await client.call<Made>('POST', '/v2/groups', { body: { name } });
  const key = await client.call<Made & { created_by: string }>('POST', '/v2/users/api_keys', {
    body: { description: 'fuzz' },
  });
  const template = await client.call<Made>('POST', `${root}/annotation/templates`, {
    body: { name, constraints: { annotation_type: 'text' } },
  });
  const view = await client.call<Made>('POST', `${root}/views`, {
    body: { name, page: 'traces', state: '', is_shared: true },
  });
  const prompt = await client.call<Made>('POST', `${root}/templates`, {
    body: { name, template: '{{input}}' },
  });
  const dataset = await client.call<Made>(
    'POST',
    '/v2/datasets',
    formRequest([
      { name: 'name', content: name },
      { name: 'project_id', content: project.body.id },
      { name: 'file', content: 'a\n1\n', fileName: 'fuzz.csv' },
    ]),
  );
  const task = await client.call<{ task_id: string }>(
    'POST',
    '/v2/scorers/code/validate',
    formRequest([{ name: 'file', content: 'x = 1', fileName: 'fuzz.py' }]),
  );
  const scorer = await client.call<Made>('POST', '/v2/scorers', {
    body: { name, scorer_type: 'code' },
  });
  return {
    scorer_id: scorer.body.id,
    project_id: project.body.id,
    task_id: task.body.task_id,
    job_id: task.body.task_id,
    dataset_id: dataset.body.id,
    run_id: stream.body.id,
    template_id: template.body.id,
    view_id: view.body.id,
    prompt_template_id: prompt.body.id,
    version: 1,
    label: 'production',
    annotation_template_id: template.body.id,
    log_stream_id: stream.body.id,
    experiment_id: experiment.body.id,
    tag_id: tag.body.id,
    trace_id: logged.body.trace_ids[0],
    parent_id: logged.body.trace_ids[0],
    session_id: session.body.id,
    user_id: key.body.created_by,
    api_key_id: key.body.id,
    group_id: group.body.id,
    span_id: span,
  };
};
