import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { temporaryFolder } from '../support/folder.js';
import { startService } from '../support/service-process.js';

describe('files of the service', function () {
  for (const [command, args] of [
    ['serve', []],
    ['demo', ['--runs', '3']],
  ] as const) {
    it(`are for its own account alone, of ${command} too`, async () => {
      const { dir, remove } = await temporaryFolder();
      const data = join(dir, 'data');
      const where = command === 'demo' ? ['--dir', data] : [];
      const service = await startService({
        dir: data,
        args: [command, ...args, ...where],
        // At the usual level the demo keeps the line with the ports to itself.
        env: { ASSAY_LOG_LEVEL: 'debug' },
      });
      try {
        await service.client.call('POST', '/v2/projects', { body: { name: 'modes' } });
        await service.client.call('GET', '/v2/projects');
        const names = await readdir(data, { recursive: true });
        const open: string[] = [];
        for (const name of ['.', ...names]) {
          const { mode } = await stat(join(data, name));
          if ((mode & 0o077) !== 0) open.push(`${name} ${mode.toString(8)}`);
        }
        expect(open).to.deep.equal([]);
        expect(names.filter((name) => /\.(?:sqlite|db|duckdb)$/.test(name))).not.to.be.empty;
      } finally {
        await service.kill();
        await remove();
      }
    });
  }
});
