import type { RecordContent } from '../../events/traces.js';

type Metrics = NonNullable<RecordContent['metrics']>;
type Scores = Readonly<Record<string, number | boolean | string | null>>;

/** Metrics of a record, with the names of those recorded by scorers. */
type RecordMetrics = { readonly metrics: Metrics; readonly scored: ReadonlySet<string> };

const errorMember = /._(?:ems_error_code|error_message)$/;

/**
 * Applies scores to the metrics; null withdraws. A scorer changes only values recorded by scorers:
 * a client's value stays, and only an error is added beside it (contract 5.10).
 */
export const withScores = (
  before: RecordMetrics,
  scores: Scores,
  by: 'client' | 'scorer',
): RecordMetrics => {
  // A map, because a name may be `__proto__`.
  const metrics = new Map(Object.entries(before.metrics));
  const scored = new Set(before.scored);
  for (const [name, value] of Object.entries(scores)) {
    const isClients = metrics.has(name) && !scored.has(name);
    if (by === 'scorer' && isClients && !errorMember.test(name)) continue;
    if (value === null) metrics.delete(name);
    else metrics.set(name, value);
    if (by === 'scorer' && value !== null) scored.add(name);
    else scored.delete(name);
  }
  return { metrics: Object.fromEntries(metrics), scored };
};
