import { DuckDBInstance } from '@duckdb/node-api';
import { expect } from 'chai';
import { misfolded } from '../../engines/duckdb/misfolded.js';
import { caseFoldings, foldCase } from '../../kernel/case-fold.js';

describe('characters that DuckDB lower-cases and contract 3.7 folds', () => {
  it('differ in those that the table of the engine has', async () => {
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    const answer = await connection.runAndReadAll(
      `SELECT one, lower(one) FROM (
         SELECT chr(CAST(unnest(range(1, 55296) || range(57344, 131072)) AS INTEGER)) AS one
       ) WHERE lower(one) <> one`,
    );
    const lower = new Map(answer.getRows().map(([one, other]) => [String(one), String(other)]));
    connection.closeSync();
    instance.closeSync();
    const differing = [...new Set([...lower.keys(), ...caseFoldings().keys()])]
      .filter((character) => (lower.get(character) ?? character) !== foldCase(character))
      .sort();
    expect(lower.size).to.be.greaterThan(1_400);
    expect(misfolded).to.equal(
      differing.map((one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`).join(''),
    );
  });
});
