import type { Instant } from '../schema-types.js';
import type { PriceEntry } from './match.js';
import type { TokenPrices } from './token-kinds.js';

/** Page of a provider, the day of the copy of it that was read, and the prices that it confirms. */
type ShippedPage = {
  readonly source: string;
  readonly copied: string;
  readonly entries: readonly PriceEntry[];
};
type Row = readonly [model: string, from: string, prices: TokenPrices];

const pricesOf = (source: string, copied: string, rows: readonly Row[]): ShippedPage => ({
  source,
  copied,
  entries: rows.map(([model, from, prices]) => ({
    model,
    from: `${from}T00:00:00.000000Z` as Instant,
    ...prices,
  })),
});

/** Input, cached input and output. */
const cached = (input: number, cache_read: number, output: number): TokenPrices => ({
  input,
  output,
  cache_read,
});
/** Writing to the cache for five minutes costs 5/4 of the input, and reading from it a tenth. */
const claude = (input: number, output: number): TokenPrices => ({
  input,
  output,
  cache_read: input / 10,
  cache_write: input * 1.25,
});

/**
 * Day on which the prices were read, from copies of the pages (D-245): the version of the list.
 * Copies that give no day of their own have it too; retired models are on older ones of these.
 */
export const shippedVersion = '2026-11-27';
/** Age from which `doctor` warns: prices change a few times a year. */
export const shippedDaysMax = 120;

/**
 * List prices of widely used models, in dollars per million tokens of the standard tier; of prices
 * by length those of short prompts. A release may replace it: spans keep the price that they had.
 * `from` is the day from which the provider has this model under that name, if it says so and no
 * other price is known; else that of the first dated copy with this price.
 */
export const shippedPages: readonly ShippedPage[] = [
  pricesOf('https://developers.openai.com/api/docs/pricing', shippedVersion, [
    ['gpt-3.5-turbo', '2024-02-16', { input: 0.5, output: 1.5 }],
    ['gpt-4-turbo', '2024-04-09', { input: 10, output: 30 }],
    ['gpt-4o-2024-05-13', '2024-05-13', { input: 5, output: 15 }],
    ['gpt-4o', '2024-10-02', cached(2.5, 1.25, 10)],
    ['gpt-4o-mini', '2024-07-18', cached(0.15, 0.075, 0.6)],
    ['o1', '2024-12-17', cached(15, 7.5, 60)],
    ['o3-mini', '2025-01-31', cached(1.1, 0.55, 4.4)],
    ['gpt-4.1', '2025-04-14', cached(2, 0.5, 8)],
    ['gpt-4.1-mini', '2025-04-14', cached(0.4, 0.1, 1.6)],
    ['gpt-4.1-nano', '2025-04-14', cached(0.1, 0.025, 0.4)],
    ['o4-mini', '2025-04-16', cached(1.1, 0.275, 4.4)],
    ['o3', '2026-02-07', cached(2, 0.5, 8)],
    ['gpt-5', '2025-08-07', cached(1.25, 0.125, 10)],
    ['gpt-5-mini', '2025-08-07', cached(0.25, 0.025, 2)],
    ['gpt-5-nano', '2025-08-07', cached(0.05, 0.005, 0.4)],
    ['gpt-5.1', '2025-11-13', cached(1.25, 0.125, 10)],
    ['gpt-5.2', '2025-12-11', cached(1.75, 0.175, 14)],
    ['gpt-5.4', '2026-03-05', cached(2.5, 0.25, 15)],
    ['gpt-5.4-mini', '2026-03-17', cached(0.75, 0.075, 4.5)],
    ['gpt-5.4-nano', '2026-03-17', cached(0.2, 0.02, 1.25)],
  ]),
  pricesOf('https://platform.claude.com/docs/en/about-claude/pricing', shippedVersion, [
    ['claude-3-5-sonnet', '2024-06-20', claude(3, 15)],
    ['claude-3-5-haiku', '2025-07-20', claude(0.8, 4)],
    ['claude-3-7-sonnet', '2025-02-24', claude(3, 15)],
    ['claude-opus-4', '2025-05-22', claude(15, 75)],
    ['claude-sonnet-4', '2025-05-22', claude(3, 15)],
    ['claude-opus-4-1', '2025-08-05', claude(15, 75)],
    ['claude-sonnet-4-5', '2025-09-29', claude(3, 15)],
    ['claude-haiku-4-5', '2025-10-15', claude(1, 5)],
    ['claude-opus-4-5', '2025-11-24', claude(5, 25)],
    ['claude-opus-4-6', '2026-02-05', claude(5, 25)],
    ['claude-sonnet-4-6', '2026-02-17', claude(3, 15)],
    ['claude-opus-4-7', '2026-04-16', claude(5, 25)],
    ['claude-opus-4-8', '2026-05-28', claude(5, 25)],
    ['claude-opus-5', '2026-07-24', claude(5, 25)],
  ]),
  pricesOf('https://ai.google.dev/gemini-api/docs/pricing', '2025-10-31', [
    ['gemini-2.5-pro', '2025-10-31', cached(1.25, 0.125, 10)],
    ['gemini-2.5-flash', '2025-10-31', { ...cached(0.3, 0.03, 2.5), input_audio: 1 }],
    ['gemini-2.5-flash-lite', '2025-10-31', { ...cached(0.1, 0.01, 0.4), input_audio: 0.3 }],
  ]),
  pricesOf('https://docs.mistral.ai/models', '2026-08-21', [
    ['mistral-large-2411', '2024-11-18', { input: 2, output: 6 }],
    ['codestral', '2025-07-30', { input: 0.3, output: 0.9 }],
    ['codestral-2501', '2025-01-13', { input: 0.3, output: 0.9 }],
    ['codestral-2508', '2025-07-30', { input: 0.3, output: 0.9 }],
    ['mistral-medium-2505', '2025-05-07', { input: 0.4, output: 2 }],
    ['mistral-medium-2508', '2025-08-12', { input: 0.4, output: 2 }],
  ]),
  pricesOf('https://aws.amazon.com/bedrock/pricing/', '2025-07-20', [
    ['nova-micro', '2025-07-20', cached(0.035, 0.00875, 0.14)],
    ['nova-lite', '2025-07-20', cached(0.06, 0.015, 0.24)],
    ['nova-pro', '2025-07-20', cached(0.8, 0.2, 3.2)],
  ]),
];

export const shippedEntries: readonly PriceEntry[] = shippedPages.flatMap(({ entries }) => entries);
