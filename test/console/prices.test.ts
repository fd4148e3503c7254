import { expect } from 'chai';
import { kindPrices, matchSentence } from '../../console/settings/price-texts.js';
import { tokenRows, type AnyRecord } from '../../console/traces/record-facts.js';

const entry = { model: 'm', from: '2026-01-01T00:00:00.000000Z', input: 3, output: 15 };

describe('prices in the console', () => {
  it('name the kinds that have a price of their own', () => {
    expect(kindPrices(entry)).to.equal('');
    expect(kindPrices({ ...entry, cache_read: 0.3, reasoning: 0 })).to.equal(
      'cached input $0.3, reasoning $0',
    );
  });

  it('say how a price was found, and what is near where none was', () => {
    expect(matchSentence({ entry, rule: 'simplified', list: 'shipped' })).to.equal(
      '$3 in, $15 out: m (shipped list), found by its simplified name',
    );
    const own = { entry: { ...entry, cache_read: 1 }, rule: 'exact', list: 'project' } as const;
    expect(matchSentence(own)).to.equal(
      '$3 in, $15 out, cached input $1: m (project), found by its name',
    );
    expect(matchSentence({ entry, rule: null, list: null })).to.equal('No price; near: m');
    expect(matchSentence({ entry: null, rule: null, list: null })).to.equal(
      'No price, and none is near.',
    );
  });
});

describe('tokens by kind of a record', () => {
  const own = (value: number) => ({ status_type: 'success' as const, value });
  const record = (metric_info: object) => ({ metric_info, metrics: {} }) as unknown as AnyRecord;
  const counts = { num_input_tokens: own(1_000), num_cached_input_tokens: own(800) };

  it('cost what the price of the span says', () => {
    const price = { input: 10, output: 0, cache_read: 1, list: 'project' };
    const cost = { ...own(0.0028), price };
    expect(tokenRows(record({ ...counts, cost }))).to.deep.equal([
      { label: 'other input', tokens: '200', cost: '$0.002' },
      { label: 'cached input', tokens: '800', cost: '$0.0008' },
    ]);
  });

  it('have no cost where the client sent it, and are left out where all are of one kind', () => {
    expect(tokenRows(record({ ...counts, cost: own(7) }))).to.deep.equal([
      { label: 'other input', tokens: '200', cost: null },
      { label: 'cached input', tokens: '800', cost: null },
    ]);
    expect(tokenRows(record({ num_input_tokens: own(5), cost: own(7) }))).to.deep.equal([]);
    expect(tokenRows(record({}))).to.deep.equal([]);
  });
});
