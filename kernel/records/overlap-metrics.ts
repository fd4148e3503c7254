import { utf8ByteLength } from '../code-points.js';
import { bleu } from './bleu.js';
import { rouge } from './rouge.js';

/** Overlap metrics of two texts (contract 3.5), which scorers may require. */
export type OverlapName = 'bleu' | 'rouge';
export const overlapNames: readonly OverlapName[] = ['bleu', 'rouge'];
export const isOverlapName = (name: string): name is OverlapName =>
  overlapNames.some((one) => one === name);

/**
 * Limit of output and reference, in bytes of UTF-8, above which no overlap metric is computed
 * (contract 1.11): at most 30 ms for both metrics of the most expensive pair, 10 ms for prose.
 */
export const overlapTextMax = 32 * 1_024;

export const fitOverlapLimit = (output: string, reference: string): boolean =>
  isOverlapText(output) && isOverlapText(reference);

const isOverlapText = (text: string): boolean =>
  text.length <= overlapTextMax &&
  (text.length * 3 <= overlapTextMax || utf8ByteLength(text) <= overlapTextMax);

/** Null without tokens (contract 3.5), or if a text is beyond `overlapTextMax`. */
export const computeOverlap = (
  name: OverlapName,
  output: string,
  reference: string,
): number | null =>
  fitOverlapLimit(output, reference) ? { bleu, rouge }[name](output, reference) : null;

/** Computes overlap metrics off the request path: up to 30 ms a pair, for many records. */
export interface OverlapComputer {
  /**
   * Null: it has no value. `whose`: the fair queue's key, shared by calls of one name. Throws Fault
   * `unavailable` when it cannot be computed now.
   */
  compute(
    name: OverlapName,
    output: string,
    reference: string,
    whose: string,
  ): Promise<number | null>;
  close(): Promise<void>;
}
