/** Metrics of how much two texts have in common (contract 3.5), which scorers may require. */
export type OverlapName = 'bleu' | 'rouge';
export const overlapNames: readonly OverlapName[] = ['bleu', 'rouge'];
export const isOverlapName = (name: string): name is OverlapName =>
  overlapNames.some((one) => one === name);

/** A pair of long texts takes a second or more, so nobody's requests wait for it. */
export interface Overlaps {
  /**
   * Null: it has no value. `whose`: calls of one name share their turns. Throws Fault `unavailable`
   * when it cannot be computed now.
   */
  of(name: OverlapName, output: string, reference: string, whose: string): Promise<number | null>;
  close(): Promise<void>;
}
