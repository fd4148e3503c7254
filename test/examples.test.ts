import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { sharedApp } from './support/app.js';
import { bareEnvironment, repository } from './support/test-environment.js';

const run = promisify(execFile);
const folder = join(repository, 'examples');

/** The test that runs each example and checks its output. */
const runBy: Readonly<Record<string, string>> = {
  'curl.sh': 'test/examples.test.ts',
  'langchain.ts': 'test/senders/senders.test.ts',
  'opentelemetry.ts': 'test/senders/senders.test.ts',
  'python.py': 'clients/python/tests/test_operations.py',
  'typescript.ts': 'test/clients/typescript/package.test.ts',
  'vercel-ai.ts': 'test/senders/senders.test.ts',
};

describe('examples', () => {
  it('are each run by a test', async () => {
    const names = (await readdir(folder)).filter((name) => !name.endsWith('.md'));
    expect(names.sort()).to.deep.equal(Object.keys(runBy).sort());
    for (const [example, test] of Object.entries(runBy))
      expect(await readFile(join(repository, test), 'utf8'), test).to.include(
        example.replace(/\.ts$/, ''),
      );
  });

  it('show a run with curl', async () => {
    const { url, apiKey } = await sharedApp();
    const { stdout } = await run('sh', [join(folder, 'curl.sh')], {
      env: { ...bareEnvironment(), ASSAY_URL: url, ASSAY_API_KEY: apiKey },
    });
    const [written, asked] = stdout.trimEnd().split('\n');
    expect(JSON.parse(written ?? '')).to.include({ traces_count: 2 });
    const { aggregate_metrics: metrics } = JSON.parse(asked ?? '') as {
      readonly aggregate_metrics: object;
    };
    expect(metrics).to.include({ correct: 0.5, requests_count: 2 });
  });
});
