import { sandboxLimits } from '../../kernel/sandbox.js';

/** What scoring of one project may take before others have their turn; times in milliseconds. */
export const scoringBudgets = {
  /**
   * Records of one process: its start costs as much as thousands of quick ones, a crash all of
   * them.
   */
  stepsMax: 500,
  /** Characters of them as JSON: a quarter of what a process takes, at up to three bytes each. */
  stepsTextMax: 4 * 1_024 * 1_024,
  /**
   * For several records: hundreds fit at 20 ms each, and who waits behind a file that hangs is soon
   * served.
   */
  batchMs: 10_000,
  /** For one record alone, as for a validation (contract 4.11, rule 8). */
  recordMs: sandboxLimits.wallMs as number,
  /** No process of a turn begins later: a turn takes so long and what its last process takes. */
  turnMs: 10_000,
  /** A process that ends before its time takes about this long on a busy machine. */
  crashMs: 1_000,
  /**
   * Spent in a row without any score: three records that hang one after the other are a file that
   * hangs.
   */
  vainMs: 90_000,
  /**
   * How long a scorer then rests in that project, twice as long each time until it scores again …
   */
  restMs: 60_000,
  /**
   * … so that one which always hangs costs ten seconds an hour, and one that is well again waits no
   * longer.
   */
  restMaxMs: 3_600_000,
};
export type ScoringBudgets = Readonly<typeof scoringBudgets>;
