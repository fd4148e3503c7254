import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { openApiText, withOperations } from '../../cli/openapi.js';
import { repository } from '../support/outside.js';

const file = (name: string): Promise<string> => readFile(join(repository, name), 'utf8');

describe('what is published', () => {
  it('has an openapi.json that the operations give', async () => {
    const fresh = (await file('openapi.json')) === openApiText();
    expect(fresh, 'openapi.json is stale: run npm run openapi').to.equal(true);
  });

  it('has a README whose table of operations is the present one', async () => {
    const page = await file('README.md');
    expect(page === withOperations(page), 'README.md is stale: run npm run openapi').to.equal(true);
  });
});
