import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { repository } from '../support/test-environment.js';
import { performanceFiles } from '../../bench/performance-files.js';
import { resultsFile } from '../../bench/result-rows.js';

const results = readFileSync(resultsFile, 'utf8');

describe('docs/performance.md and its picture', () => {
  it('follow from the results of the bench: `npm run performance` writes them', () => {
    for (const [path, text] of performanceFiles(results))
      expect(readFileSync(join(repository, path), 'utf8'), path).to.equal(text);
  });

  it('show the newest result of a row, of the size that they name', () => {
    const [line = ''] = results.split('\n').filter((one) => one.includes('"name":"search"'));
    const result = JSON.parse(line) as { readonly measured: object };
    const stored = (at: string, spans: number, value: number): string =>
      JSON.stringify({
        ...result,
        at,
        parameters: { spans },
        measured: { ...result.measured, value },
      });
    const [page] = performanceFiles(
      [
        stored('2030-01-01', 1_000_000, 111),
        stored('2030-01-02', 1_000_000, 222),
        stored('2030-01-03', 50_000, 333),
      ].join('\n'),
    );
    expect(page?.[1]).to.contain('222 ms').and.contain('2030-01-02');
    expect(page?.[1]).not.to.contain('111 ms').and.not.to.contain('333 ms');
  });

  it('name what was not measured yet, and draw nothing of it', () => {
    const [one = ''] = results.split('\n');
    const [page, picture] = performanceFiles(one);
    expect(page?.[1]).to.contain('not measured yet');
    expect(picture?.[1]).not.to.contain('NaN').and.not.to.contain('undefined');
  });
});
