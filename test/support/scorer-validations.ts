import { expect } from 'chai';
import type { App } from './app.js';
import type { Client, Reply } from './client.js';
import { formRequest, type FormPart } from './multipart-forms.js';
import { pollUntil } from './poll-until.js';

export type RequestedTask = {
  readonly task_id: string;
  readonly metrics_experiment_id: string;
  readonly project_id: string;
};
export type Task = {
  readonly id: string;
  readonly status: string;
  readonly progress_percent: number;
  readonly result: { readonly result: Record<string, unknown> } | null;
  readonly metrics_experiment_id: string | null;
  readonly project_id: string | null;
};

export const validatePath = '/v2/scorers/code/validate';

export const scorerParts = (
  source: string | Uint8Array,
  more: Readonly<Record<string, string>> = {},
): readonly FormPart[] => [
  { name: 'file', content: source, fileName: 'any.py' },
  ...Object.entries(more).map(([name, content]) => ({ name, content })),
];

/** Polls until the task has ended; progress never falls meanwhile. */
export const waitForTaskEnd = async (
  client: Client,
  asked: Reply<RequestedTask>,
): Promise<Task> => {
  expect(asked.status, JSON.stringify(asked.body)).to.equal(200);
  let task: Task | null = null;
  let percent = 0;
  await pollUntil('the task ends', 50_000, async () => {
    task = (await client.call<Task>('GET', `${validatePath}/${asked.body.task_id}`)).body;
    expect(task.progress_percent, 'progress never falls').to.be.at.least(percent);
    percent = task.progress_percent;
    expect(['pending', 'completed', 'failed']).to.include(task.status);
    return task.status !== 'pending';
  });
  if (task === null) throw new Error('no task');
  return task;
};

/** A code scorer with its first version, validated on one sample. */
export const registeredScorer = async (
  app: Pick<App, 'client'>,
  body: { readonly name: string; readonly [member: string]: unknown },
  source: string,
): Promise<{ readonly id: string; readonly [member: string]: unknown }> => {
  const made = await app.client.call<{ id: string }>('POST', '/v2/scorers', {
    body: { scorer_type: 'code', ...body },
  });
  const asked = await app.client.call<RequestedTask>(
    'POST',
    validatePath,
    formRequest(scorerParts(source)),
  );
  const { result } = await waitForTaskEnd(app.client, asked);
  expect(result?.result['result_type'], JSON.stringify(result)).to.equal('valid');
  await app.client.call(
    'POST',
    `/v2/scorers/${made.body.id}/version/code`,
    formRequest(scorerParts(source, { validation_result: JSON.stringify(result) })),
  );
  return made.body;
};
