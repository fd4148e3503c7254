import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  byteBudgets,
  limits,
  passwordLimit,
  recordQueryLimit,
  scorerLimit,
} from '../../kernel/limits.js';
import { repository } from '../support/test-environment.js';

/** The machine of the page: two cores and the twelve threads of `npm start`. */
const rows = [
  recordQueryLimit({ isRemote: false }, 12),
  recordQueryLimit({ isRemote: true }, 12),
  ...Object.values(limits),
  passwordLimit(2),
  scorerLimit(2),
];

const amount = (max: number): string => {
  if (!Number.isFinite(max)) return 'any';
  return max < 1_048_576 ? String(max) : `${max / 1_048_576} MiB`;
};

describe('limits of load', () => {
  it('are the table of docs/configuration.md', () => {
    const page = readFileSync(join(repository, 'docs/configuration.md'), 'utf8');
    const printed = rows.map(({ of, size, shares, waitersMax }) => {
      const each = Object.entries<number>(shares).map(([kind, max]) => `${max} of one ${kind}`);
      return `| ${of} | ${amount(size)} | ${each.join(', ') || '–'} | ${amount(waitersMax)} |`;
    });
    const budgets = Object.values(byteBudgets).map(
      ({ of, size }) => `| ${of} | ${amount(size)} | shares of contract 1.11 | – |`,
    );
    const [, section = ''] = page.split('\n## Limits of load\n');
    const [text = ''] = section.split('\n## ');
    expect(text.split('\n').filter((line) => line.startsWith('| '))).to.deep.equal([
      '| at a time | in all | each | waiting, each |',
      '| --- | --- | --- | --- |',
      ...printed,
      ...budgets,
    ]);
  });
});
