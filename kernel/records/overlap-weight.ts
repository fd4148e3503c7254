import { overlapNames, overlapTextMax } from './overlap-metrics.js';

/**
 * Cost of both overlap metrics for the most expensive pair of texts of these lengths, in bytes of
 * content of equal fold cost: both metrics read the texts, and `rouge` compares each token with
 * each.
 */
export const overlapWeight = (output: number, reference: number): number =>
  output > overlapTextMax || reference > overlapTextMax
    ? 0
    : 4 * (output + reference) + Math.ceil((output * reference) / 4_096);

type Members = Readonly<Record<string, unknown>>;
type WeightOf = (value: unknown) => number;

/**
 * Overlap cost of folding an event of a trace (contract 1.11). A changed output counts as if its
 * reference were as long, since the event does not contain it; a withdrawn metric counts as the
 * longest pair.
 */
export const overlapWeightIn = (data: unknown, weightOf: WeightOf): number => {
  const { trace, spans, parts, changes, scores } = (data ?? {}) as Members;
  let weight = recordWeight(trace, weightOf) + scoresWeight(scores);
  for (const span of listOf(spans)) weight += recordWeight(span, weightOf);
  for (const part of listOf(parts)) {
    for (const span of listOf(part['spans'])) weight += receivedSpanWeight(span, weightOf);
  }
  const { output } = (changes ?? {}) as Members;
  if (output != null) {
    const length = lengthOf(output, weightOf);
    weight += overlapWeight(length, length);
  }
  return weight;
};

const listOf = (value: unknown): readonly Members[] =>
  Array.isArray(value) ? (value as readonly Members[]) : [];

const recordWeight = (record: unknown, weightOf: WeightOf): number => {
  const { output, dataset_output: reference } = (record ?? {}) as Members;
  if (output == null || typeof reference !== 'string') return 0;
  return overlapWeight(lengthOf(output, weightOf), reference.length);
};

const lengthOf = (value: unknown, weightOf: WeightOf): number =>
  typeof value === 'string' ? value.length : Math.min(weightOf(value), overlapTextMax);

/**
 * Cost of a received span: the output may be any of its attributes, so it counts as the largest.
 */
const receivedSpanWeight = ({ sent }: Members, weightOf: WeightOf): number => {
  const attributes = listOf((sent as Members | undefined)?.['attributes']);
  let [output, reference] = [0, 0];
  for (const { key, value } of attributes) {
    const weight = Math.min(weightOf(value), overlapTextMax);
    if (String(key).endsWith('.dataset.output')) reference = Math.max(reference, weight);
    else output = Math.max(output, weight);
  }
  return reference === 0 ? 0 : overlapWeight(output, reference);
};

const scoresWeight = (scores: unknown): number =>
  overlapNames.some((name) => ((scores ?? {}) as Members)[name] === null)
    ? overlapWeight(overlapTextMax, overlapTextMax)
    : 0;
