import { expect } from 'chai';
import * as fc from 'fast-check';
import { matchPrice, type PriceEntry } from '../../../kernel/prices/match.js';
import { simplifiedNames } from '../../../kernel/prices/model-names.js';
import { costOf, priceLists } from '../../../kernel/prices/price-lists.js';
import { instantAfter } from '../../support/test-log.js';

const entry = (model: string, after = 0): PriceEntry => ({
  model,
  from: instantAfter(after),
  input: after + 1,
  output: 0,
});
const at = instantAfter(5);
const found = (models: readonly string[], model: string) => {
  const match = matchPrice(
    models.map((one) => entry(one)),
    model,
    at,
  );
  return match && `${match.entry.model} ${match.rule}`;
};

describe('the price of a model by its name', () => {
  it('is that of its exact name, then of the longest pattern', () => {
    const list = ['gpt-4*', 'gpt-4o*', '*', 'gpt-4o-mini'];
    expect(found(list, 'gpt-4o-mini')).to.equal('gpt-4o-mini exact');
    expect(found(list, 'gpt-4o-audio')).to.equal('gpt-4o* pattern');
    expect(found(list, 'gpt-4')).to.equal('gpt-4* pattern');
    expect(found(list, 'other')).to.equal('* pattern');
    expect(found(['gpt-4o'], 'gpt-4o-mini')).to.equal(null);
    expect(found([], 'gpt-4o')).to.equal(null);
  });

  const list = ['gpt-4o', 'claude-sonnet-4-5', 'Claude-3-5-Sonnet*', 'mistral-large', 'o1'];
  for (const [model, expected] of [
    ['openai/GPT-4o-2024-08-06', 'gpt-4o simplified'],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude-sonnet-4-5 simplified'],
    ['anthropic.claude-3-5-sonnet-20241022-v2:0', 'Claude-3-5-Sonnet* simplified_pattern'],
    ['claude-sonnet-4-5@20250929', 'claude-sonnet-4-5 simplified'],
    ['projects/p/models/claude-sonnet-4-5@default', 'claude-sonnet-4-5 simplified'],
    ['claude-sonnet-4-5-20250929[1m]', 'claude-sonnet-4-5 simplified'],
    ['mistral-large-latest', 'mistral-large simplified'],
    ['azure/eu/gpt-4o-20240806', 'gpt-4o simplified'],
    ['gpt-4.1', null],
    ['o1-mini', null],
    ['', null],
  ] as const) {
    it(`is found for ${model === '' ? 'no name' : model} (models 1.38)`, () =>
      expect(found(list, model)).to.equal(expected));
  }

  it('prefers the name that leaves out least', () => {
    const dated = ['gpt-4o', 'gpt-4o-2024-05-13'];
    expect(found(dated, 'openai/gpt-4o-2024-05-13')).to.equal('gpt-4o-2024-05-13 simplified');
    expect(found(dated, 'openai/gpt-4o-2024-08-06')).to.equal('gpt-4o simplified');
  });

  it('is the latest that has begun, and passes over names without one', () => {
    const prices = [entry('m', 9), entry('m', 3), entry('m', 1), entry('m*', 0), entry('n', 9)];
    expect(matchPrice(prices, 'm', at)?.entry).to.equal(prices[1]);
    expect(matchPrice(prices, 'm', instantAfter(0))).to.deep.equal({
      entry: prices[3],
      rule: 'pattern',
    });
    expect(matchPrice(prices, 'n', at)).to.equal(null);
  });

  it('gives a call its cost, and none without a price', () => {
    const lists = priceLists([entry('m')], false);
    expect(costOf({ input: 2_000_000 }, 'vendor/m', lists, at)).to.equal(2);
    expect(costOf({ input: 2_000_000 }, 'n', lists, at)).to.equal(null);
    expect(costOf({}, 'm', lists, at)).to.equal(null);
  });

  it('is the same for a name that was looked up before', () => {
    const name = fc.stringMatching(/^[a-cA-C./@:[\]*-]{0,12}$/);
    fc.assert(
      fc.property(fc.array(name, { maxLength: 5 }), name, (models, model) => {
        const prices = models.map((one) => entry(one));
        const first = matchPrice(prices, model, at);
        expect(matchPrice(prices, model, at)).to.deep.equal(first);
        expect(simplifiedNames(model)).to.not.include(model);
        if (models.includes(model) && !model.endsWith('*')) expect(first?.rule).to.equal('exact');
      }),
    );
  });

  it('finds nothing for an endless name', () => {
    const name = `${'a-v1:'.repeat(50_000)}${'['.repeat(50_000)}`;
    expect(matchPrice([entry('m')], name, at)).to.equal(null);
  });
});
