import { expect } from 'chai';
import { csvRecord } from '../../query-api/records/csv-lines.js';

describe('a line of CSV', () => {
  it('leaves a cell empty for a member that the record only inherits', () => {
    const names = ['__proto__', 'constructor', 'a'];
    const shown = { members: ['id'], metrics: names, userMetadata: names, escapes: true };
    const plain = { id: '1', user_metadata: { a: 'x' }, metric_info: { a: { value: 2 } } };
    expect(csvRecord(plain, shown).trimEnd()).to.equal('1,,,2,,,x');
    const own = JSON.parse('{"id":"2","user_metadata":{"__proto__":"y"}}') as never;
    expect(csvRecord(own, shown).trimEnd()).to.equal('2,,,,y,,');
  });
});
