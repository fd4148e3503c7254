import { expect } from 'chai';
import * as fc from 'fast-check';
import { costAtPrices, costsByKind } from '../../../kernel/prices/cost.js';
import {
  tokenPartNames,
  tokenParts,
  type TokenKind,
  type TokenPrices,
  type TokensByKind,
} from '../../../kernel/prices/token-kinds.js';

type Bill = {
  readonly provider: string;
  /** Usage in the shape that the provider documents. */
  readonly usage: object;
  /** The same as clients and exporters report it. */
  readonly tokens: TokensByKind;
  readonly prices: TokenPrices;
  /** Dollars, computed by hand. */
  readonly dollars: number;
};

const bills: readonly Bill[] = [
  {
    provider: 'OpenAI, cached tokens inside the prompt',
    usage: {
      prompt_tokens: 2_006,
      completion_tokens: 300,
      prompt_tokens_details: { cached_tokens: 1_920 },
      completion_tokens_details: { reasoning_tokens: 200 },
    },
    tokens: { input: 2_006, output: 300, cache_read: 1_920, reasoning: 200 },
    prices: { input: 2.5, output: 10, cache_read: 1.25 },
    // 86 · 2.5 + 1,920 · 1.25 + 300 · 10
    dollars: 0.005615,
  },
  {
    provider: 'Anthropic, cached tokens beside the input',
    usage: {
      input_tokens: 50,
      cache_read_input_tokens: 100_000,
      cache_creation_input_tokens: 2_000,
      output_tokens: 503,
    },
    tokens: { input: 50, output: 503, cache_read: 100_000, cache_write: 2_000 },
    prices: { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 },
    // 50 · 3 + 100,000 · 0.3 + 2,000 · 3.75 + 503 · 15
    dollars: 0.045195,
  },
  {
    provider: 'Google, cached content inside the prompt, thoughts beside the candidates',
    usage: {
      promptTokenCount: 10_000,
      cachedContentTokenCount: 8_000,
      candidatesTokenCount: 200,
      thoughtsTokenCount: 1_000,
    },
    tokens: { input: 10_000, output: 200, cache_read: 8_000, reasoning: 1_000 },
    prices: { input: 0.3, output: 2.5, cache_read: 0.03 },
    // 2,000 · 0.3 + 8,000 · 0.03 + 1,200 · 2.5
    dollars: 0.00384,
  },
  {
    provider: 'Mistral, no kinds',
    usage: { prompt_tokens: 1_500, completion_tokens: 400, total_tokens: 1_900 },
    tokens: { input: 1_500, output: 400 },
    prices: { input: 2, output: 6 },
    // 1,500 · 2 + 400 · 6
    dollars: 0.0054,
  },
  {
    provider: 'Amazon Bedrock, cached tokens beside the input, writing at the price of input',
    usage: {
      inputTokens: 120,
      outputTokens: 80,
      cacheReadInputTokens: 900,
      cacheWriteInputTokens: 300,
    },
    tokens: { input: 120, output: 80, cache_read: 900, cache_write: 300 },
    prices: { input: 0.8, output: 3.2, cache_read: 0.2 },
    // 120 · 0.8 + 900 · 0.2 + 300 · 0.8 + 80 · 3.2
    dollars: 0.000772,
  },
];

const count = fc.option(fc.nat({ max: 1_000_000 }));
const dollars = fc.double({ min: 0, max: 1_000, noNaN: true });
const kinds = <T>(value: fc.Arbitrary<T>) =>
  fc.record(
    {
      input: value,
      output: value,
      ...Object.fromEntries(tokenPartNames.map((one) => [one, value])),
    },
    { requiredKeys: ['input', 'output'] },
  );

describe('the cost of tokens by kind', () => {
  for (const { provider, tokens, prices, dollars: expected } of bills) {
    it(`equals the bill of ${provider}`, () => {
      expect(costAtPrices(tokens, prices)).to.be.closeTo(expected, 1e-12);
    });
  }

  it('is absent without tokens and beyond doubles, and zero for zero tokens', () => {
    const prices = { input: 3, output: 15 };
    expect(costAtPrices({}, prices)).to.equal(null);
    expect(costAtPrices({ input: null, output: null, reasoning: 0 }, prices)).to.equal(null);
    expect(costAtPrices({ input: Number.MAX_VALUE }, prices)).to.equal(null);
    expect(costAtPrices({ output: 0 }, prices)).to.equal(0);
    expect(costAtPrices({ cache_read: 1_000_000 }, prices)).to.equal(3);
  });

  it('ignores negative parts', () => {
    expect(costAtPrices({ input: 1_000, cache_read: -5 }, { input: 10, output: 0 })).to.equal(0.01);
  });

  it('is never outside the cheapest and the dearest kind, and the sum of its kinds', () => {
    fc.assert(
      fc.property(kinds(count), kinds(dollars), (tokens: TokensByKind, prices: TokenPrices) => {
        const costs = costsByKind(tokens, prices);
        const cost = costAtPrices(tokens, prices) ?? 0;
        const counted = costs.reduce((sum, { tokens: some }) => sum + some, 0);
        const each = costs.map(({ kind }) => prices[kind] ?? prices[sideOf(kind)]);
        const slack = 1e-9 * Math.max(1, ...each) * counted;
        expect(cost * 1e6).to.be.at.most(Math.max(0, ...each) * counted + slack);
        if (each.length > 0) expect(cost * 1e6).to.be.at.least(Math.min(...each) * counted - slack);
        const sum = costs.reduce((all, { dollars: some }) => all + some, 0);
        expect(cost).to.be.closeTo(sum, 1e-9 * (1 + sum));
        const whole = (tokens.input ?? 0) + (tokens.output ?? 0);
        const inParts = tokenPartNames.reduce((all, one) => all + (tokens[one] ?? 0), 0);
        expect(counted).to.be.within(Math.max(whole, inParts), whole + inParts);
      }),
    );
  });
});

const sideOf = (kind: TokenKind) =>
  kind === 'input' || kind === 'output' ? kind : tokenParts[kind].side;
