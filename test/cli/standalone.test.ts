import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { temporaryFolder } from '../support/folder.js';
import { program } from '../support/test-environment.js';
import { startService } from '../support/service-process.js';

describe('the built program', function () {
  it('serves from a folder of its own, without node_modules of the repository', async () => {
    const folder = await temporaryFolder();
    const built = dirname(program);
    const parts = ['assay.js', 'threads', 'chunks', 'node_modules'].map((name) =>
      join(built, name),
    );
    const copied = spawnSync('cp', ['-al', ...parts, folder.dir], { encoding: 'utf8' });
    if (copied.status !== 0) spawnSync('cp', ['-a', ...parts, folder.dir]);
    const service = await startService({
      dir: join(folder.dir, 'data'),
      program: join(folder.dir, 'assay.js'),
    });
    try {
      const made = await service.client.call<{ readonly id: string }>('POST', '/v2/projects', {
        body: { name: 'alone' },
      });
      const path = `/v2/projects/${made.body.id}`;
      await service.client.call('POST', `${path}/traces`, { body: { traces: [{ input: 'a' }] } });
      const { body } = await service.client.call('POST', `${path}/traces/count`, { body: {} });
      expect(body).to.include({ total_count: 1 });
    } finally {
      await service.stop();
      await folder.remove();
    }
  });
});
