import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { build } from 'esbuild';
import { generatedFiles } from '../../../clients/typescript/generate/files.js';
import {
  className,
  methodName,
  nounName,
  waitMethods,
} from '../../../clients/typescript/generate/names.js';
import { Nouns } from '../../../clients/typescript/src/generated/all.js';
import type { Call } from '../../../clients/typescript/src/call.js';
import { serviceFaultCodes } from '../../../clients/typescript/src/fault.js';
import { operations } from '../../../contract/all.js';
import { nouns } from '../../../contract/nouns.js';
import { repository } from '../../support/test-environment.js';

const folder = join(repository, 'clients/typescript/src');

describe('the TypeScript client', () => {
  it('has the operations and types that the contract has now', async () => {
    const fresh = await generatedFiles();
    const names = (await readdir(join(folder, 'generated'))).sort();
    const stale = 'clients/typescript/src/generated is stale: run npm run generate';
    expect(names, stale).to.deep.equal([...fresh.keys()].sort());
    for (const name of names) {
      const text = await readFile(join(folder, 'generated', name), 'utf8');
      expect(text === fresh.get(name), `${stale} (${name})`).to.equal(true);
    }
  }).timeout(60_000);

  it('has a method for each operation, under its noun and under a name of its own', () => {
    const forExporters = new Set(
      operations.filter(({ protobuf }) => protobuf !== null).map(({ operationId }) => operationId),
    );
    const methods = nouns.flatMap(({ name, operations: own }) =>
      own
        .filter(({ operationId }) => !forExporters.has(operationId))
        .map(({ operationId }) => `${nounName(name)}.${methodName(name, operationId)}`),
    );
    expect(methods.length).to.equal(operations.length - forExporters.size);
    expect(new Set(methods).size).to.equal(methods.length);
    const client = new Nouns({} as Call) as unknown as Record<string, Record<string, unknown>>;
    const missing = methods.filter((method) => {
      const [noun = '', name = ''] = method.split('.');
      return typeof client[noun]?.[name] !== 'function';
    });
    expect(missing).to.deep.equal([]);
  });

  it('names operations and types by nouns', () => {
    expect(methodName('Traces', 'logTraces')).to.equal('log');
    expect(methodName('Datasets', 'getDatasetContent')).to.equal('content');
    expect(methodName('Datasets', 'getDataset')).to.equal('get');
    expect(methodName('Log streams', 'renameLogStream')).to.equal('rename');
    expect(methodName('Experiments', 'listExperimentTags')).to.equal('listTags');
    expect([nounName('API keys'), className('API keys')]).to.deep.equal(['apiKeys', 'ApiKeys']);
  });

  it('can wait for every job that reports progress', () => {
    const telling = operations.filter(({ method, response }) => {
      const { status } = (response as { properties?: Record<string, { enum?: string[] }> })
        .properties ?? { status: {} };
      return method === 'GET' && status?.enum?.includes('completed') === true;
    });
    expect(telling.map(({ operationId }) => operationId).sort()).to.deep.equal(
      Object.keys(waitMethods).sort(),
    );
  });

  it('knows every code that the contract names', async () => {
    const contract = await readFile(join(repository, 'docs/contract.md'), 'utf8');
    const [, section = ''] = /^### 1\.5 ([\s\S]*?)^### 1\.6 /m.exec(contract) ?? [];
    const rows = [...section.matchAll(/^\| \d{3} \| ((?:`\w+`(?:, )?)+) \|/gm)];
    const codes = rows.flatMap(([, cell = '']) => cell.replaceAll('`', '').split(', '));
    expect(codes.length).to.be.greaterThan(15);
    expect([...codes, 'invalid_request'].sort()).to.deep.equal([...serviceFaultCodes].sort());
  });

  it('runs on pages: its entry for browsers needs nothing of Node', async () => {
    const bundled = await build({
      entryPoints: [join(folder, 'browser.ts')],
      bundle: true,
      write: false,
      platform: 'browser',
      format: 'esm',
      target: 'es2022',
      logLevel: 'silent',
      metafile: true,
      minify: true,
    });
    const inputs = Object.keys(bundled.metafile.inputs);
    expect(inputs.length).to.be.greaterThan(40);
    expect(inputs.filter((name) => /node(\.ts|:)|exit\.ts/.test(name))).to.deep.equal([]);
    expect(bundled.outputFiles[0]?.text).not.to.match(/\b(process|Buffer)\./);
  });
});
