import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { ModelSeries, TokenCounts } from '../../kernel/model-calls.js';

/** Seconds of calls: from a short answer to the longest reasoning. */
const buckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** Series of model calls, without tenant and model labels. */
export const openModelSeries = (registry: Registry): ModelSeries => {
  const registers = [registry];
  const calls = new Counter({
    name: 'assay_model_calls_total',
    help: 'Attempts of model calls, by outcome: ok, or the code of the error.',
    labelNames: ['provider', 'purpose', 'outcome'],
    registers,
  });
  const seconds = new Histogram({
    name: 'assay_model_seconds',
    help: 'Duration of attempts of model calls.',
    labelNames: ['provider', 'purpose'],
    buckets,
    registers,
  });
  const tokens = new Counter({
    name: 'assay_model_tokens_total',
    help: 'Tokens of model calls; cache_read, cache_write and reasoning are parts of the others.',
    labelNames: ['kind'],
    registers,
  });
  const waiting = new Gauge({
    name: 'assay_model_waiting',
    help: 'Model calls that wait for a place or for the end of a pause.',
    registers,
  });
  return {
    attempted: ({ provider, purpose, outcome, ms, tokens: counts }) => {
      calls.inc({ provider, purpose, outcome: String(outcome) });
      seconds.observe({ provider, purpose }, ms / 1_000);
      for (const kind of kinds) tokens.inc({ kind }, counts?.[kind] ?? 0);
    },
    waiting: (change) => waiting.inc(change),
  };
};
const kinds = [
  'input',
  'output',
  'cache_read',
  'cache_write',
  'reasoning',
] as const satisfies (keyof TokenCounts)[];
