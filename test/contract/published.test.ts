import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { variables } from '../../config/variables.js';
import { openApiText, withOperations } from '../../cli/openapi.js';
import { repository } from '../support/test-environment.js';

const file = (name: string): Promise<string> => readFile(join(repository, name), 'utf8');

describe('published documents', () => {
  it('include an openapi.json that matches the operations', async () => {
    const fresh = (await file('openapi.json')) === openApiText();
    expect(fresh, 'openapi.json is stale: run npm run generate').to.equal(true);
  });

  it('include a table of the served operations', async () => {
    const page = await file('docs/operations.md');
    const fresh = page === withOperations(page);
    expect(fresh, 'docs/operations.md is stale: run npm run generate').to.equal(true);
  });

  it('explain every environment variable and no other', async () => {
    const page = await file('docs/configuration.md');
    const [, table = ''] = page.split('| --- | --- | --- |');
    const [rows = ''] = table.split('\n\n');
    const named = rows.split('\n').map((row) => row.split('|')[1] ?? '');
    const told = [...named.join().matchAll(/ASSAY_[A-Z_]+/g)].map(([name]) => name);
    expect(told.sort()).to.deep.equal(variables.map(({ name }) => name).sort());
  });

  it('include a README short enough to read in one sitting', async () => {
    expect((await file('README.md')).split('\n').length).to.be.at.most(130);
  });
});
