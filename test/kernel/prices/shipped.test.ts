import { expect } from 'chai';
import { shippedPricesFinding } from '../../../cli/doctor/prices.js';
import { findPrice, priceLists } from '../../../kernel/prices/price-lists.js';
import { shippedEntries, shippedPages, shippedVersion } from '../../../kernel/prices/shipped.js';
import { partsOfSide } from '../../../kernel/prices/token-kinds.js';
import type { Instant } from '../../../kernel/schema-types.js';

const read = `${shippedVersion}T00:00:00.000000Z` as Instant;

describe('the shipped price list', () => {
  it('prices each model once at a time, from a day that the copy of its page confirms', () => {
    const keys = shippedEntries.map(({ model, from }) => `${model} ${from}`);
    expect(new Set(keys).size).to.equal(keys.length);
    for (const { source, copied, entries } of shippedPages) {
      expect(new URL(source).protocol).to.equal('https:');
      expect(copied <= shippedVersion, source).to.equal(true);
      for (const entry of entries) {
        expect(entry.from.slice(0, 10) <= copied, entry.model).to.equal(true);
        expect(entry.model, 'simplified names find it').to.equal(entry.model.toLowerCase());
        expect(Math.min(entry.input, entry.output), entry.model).to.be.above(0);
        for (const part of partsOfSide.input) {
          const most = part === 'input_audio' ? 5 : 1.25;
          expect(entry[part] ?? 0, `${entry.model} ${part}`).to.be.at.most(entry.input * most);
        }
      }
    }
  });

  for (const [model, input, output] of [
    ['openai/gpt-4o-2024-08-06', 2.5, 10],
    ['gpt-4o-2024-05-13', 5, 15],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 3, 15],
    ['claude-haiku-4-5@20251001', 1, 5],
    ['models/gemini-2.5-flash', 0.3, 2.5],
    ['codestral-latest', 0.3, 0.9],
    ['amazon.nova-pro-v1:0', 0.8, 3.2],
  ] as const) {
    it(`prices ${model}`, () => {
      const found = findPrice(priceLists([], true), model, read);
      expect(found?.entry).to.include({ input, output });
      expect(found?.list.name).to.equal(`shipped ${shippedVersion}`);
    });
  }

  for (const [model, before] of [
    ['o3', '2026-02-06'],
    ['claude-3-5-haiku', '2025-07-19'],
    ['gemini-2.5-pro', '2025-10-30'],
  ] as const) {
    it(`does not price ${model} while it may have had another price`, () => {
      const at = `${before}T00:00:00.000000Z` as Instant;
      expect(findPrice(priceLists([], true), model, at)).to.equal(null);
    });
  }

  it('counts after the list of the project, and not at all where it is not used', () => {
    const own = [{ model: 'gpt-*', from: read, input: 1, output: 1 }];
    expect(findPrice(priceLists(own, true), 'gpt-4o', read)?.list.name).to.equal('project');
    expect(findPrice(priceLists(own, true), 'nova-pro', read)?.rule).to.equal('exact');
    expect(findPrice(priceLists(own, false), 'nova-pro', read)).to.equal(null);
  });

  it('is warned of by the doctor once it is 120 days old', () => {
    const after = (days: number) => shippedPricesFinding(Date.parse(read) + days * 86_400_000);
    expect(after(0).state).to.equal('good');
    expect(after(119).state).to.equal('good');
    expect(after(120)).to.include({ state: 'warning' });
    expect(after(120).found).to.contain('120 days ago');
  });
});
