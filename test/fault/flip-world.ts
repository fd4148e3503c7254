import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { temporaryFolder } from '../support/folder.js';
import { assay, startService } from '../support/service-process.js';
import { until } from '../support/until.js';

/** A data folder that a service has used and left, and its backup. */
export type FlipWorld = {
  readonly data: string;
  readonly backup: string;
  readonly remove: () => Promise<void>;
};

const tracesInAll = 40;

/** A project with traces in sessions, datasets, a deletion, a sealed secret, and a seal. */
export const openFlipWorld = async (): Promise<FlipWorld> => {
  const folder = await temporaryFolder();
  const [data, backup] = [join(folder.dir, 'data'), join(folder.dir, 'backup')];
  const service = await startService({ dir: data });
  const { client } = service;
  const { body: project } = await client.call<{ id: string }>('POST', '/v2/projects', {
    body: { name: 'flipped' },
  });
  const root = `/v2/projects/${project.id}`;
  for (let nth = 0; nth < 60; nth += 1) {
    await client.call('POST', '/v2/projects', { body: { name: `beside ${nth}` } });
  }
  await client.call('PUT', '/v2/integrations/openai', { body: { token: 'a-sealed-token' } });
  const traces = Array.from({ length: tracesInAll }, (_, nth) => ({
    input: `question ${nth} ${'x'.repeat(nth % 5 === 0 ? 6_000 : 50)}`,
    output: `answer ${nth}`,
    user_metadata: { turn: String(nth), kind: `kind ${nth % 3}` },
    metrics: { reward: nth / 7 },
  }));
  await client.call('POST', `${root}/traces`, { body: { traces } });
  await until('what was logged', 20_000, async () => {
    const { body } = await client.send('POST', `${root}/traces/search`, { body: {} });
    return JSON.stringify(body).includes(`answer ${tracesInAll - 1}`);
  });
  for (const [dir, args] of [
    [data, ['audit', 'seal']],
    [data, ['backup', backup]],
  ] as const) {
    const { code, output } = await assay(dir, ...args);
    expect(code, output).to.equal(0);
  }
  await service.stop();
  return { data, backup, remove: folder.remove };
};

/** The only file of a folder whose name has this form. */
export const theFile = async (dir: string, form: RegExp): Promise<string> => {
  const names = (await readdir(dir)).filter((name) => form.test(name));
  expect(names, dir).to.have.length(1);
  return join(dir, names[0] ?? '');
};
