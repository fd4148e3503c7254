/**
 * A place of a filter text that cannot stay as it is: from `at`, that many UTF-16 units long, none
 * at the end of the text.
 */
export type FilterProblem = {
  readonly at: number;
  readonly length: number;
  /** One or two sentences. */
  readonly message: string;
  /** The words and signs that may stand there; empty where the message says it. */
  readonly expected: readonly string[];
};
