import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { testCache } from './support/sandboxes.js';
import { bareEnvironment, repository } from './support/test-environment.js';
import { temporaryFolder } from './support/folder.js';
import { startService } from './support/service-process.js';
import { describeWithTool, jq } from './support/required-tools.js';

const run = promisify(execFile);

/** Stops at the first answer that is a refusal, which `curl -s` alone takes for an answer. */
const strictly = `set -euo pipefail
curl() { command curl --fail-with-body "$@"; }
node() { "$NODE" "$@"; }
PROJECT=$(curl -s localhost:8080/v2/projects -H "Service-API-Key: $KEY" \\
  -H 'Content-Type: application/json' -d '{"name": "airline"}' | jq -r .id)
`;

describeWithTool(jq, 'docs/guide.md', function () {
  this.timeout(180_000);

  it('can be pasted from its first block to its last', async () => {
    const { dir, remove } = await temporaryFolder();
    const service = await startService({
      dir: join(dir, 'data'),
      env: { ASSAY_SANDBOX: 'strict', ASSAY_SANDBOX_DIR: testCache },
    });
    try {
      const page = await readFile(join(repository, 'docs/guide.md'), 'utf8');
      const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block = '']) => block);
      const place = join(dir, 'clone');
      await mkdir(place);
      await symlink(join(repository, 'dist'), join(place, 'dist'));
      const script = [strictly, ...blocks].join('\n');
      const at = new URL(service.url).host;
      const { stdout } = await run('bash', ['-c', script.replaceAll('localhost:8080', at)], {
        cwd: place,
        env: {
          ...bareEnvironment(),
          NODE: process.execPath,
          KEY: service.apiKey,
          ASSAY_URL: service.url,
        },
      });
      expect(blocks.length).to.be.greaterThan(15);
      expect(stdout.match(/"result_type": *"\w+"/g)).to.deep.equal(['"result_type": "valid"']);
      expect(stdout.match(/"score": *\d+/g)).to.deep.equal(Array(3).fill('"score": 6'));
    } finally {
      await service.stop();
      await remove();
    }
  });
});
