import { sandboxLimits } from '../../kernel/sandbox.js';

/**
 * Budgets of scoring in one project before other projects get their round; times in milliseconds.
 */
export const scoringBudgets = {
  /**
   * Records per process: its start costs as much as thousands of quick ones, a crash costs all of
   * them.
   */
  stepsMax: 500,
  /** Characters of them as JSON: a quarter of what a process takes, at up to three bytes each. */
  stepsTextMax: 4 * 1_024 * 1_024,
  /**
   * Timeout of a process with several records: hundreds fit at 20 ms each, and a file that hangs
   * does not block others for long.
   */
  batchMs: 10_000,
  /** Timeout of a process with one record, as for a validation (contract 4.11, rule 8). */
  recordMs: sandboxLimits.wallMs as number,
  /** Duration of a round: no process starts later, so a round takes this and its last process. */
  turnMs: 10_000,
  /** Assumed duration of a process that ends early, on a busy machine. */
  crashMs: 1_000,
  /**
   * Time spent without any score that starts a backoff: three records in a row that hang are a file
   * that hangs.
   */
  vainMs: 90_000,
  /** First backoff of a scorer in a project; doubled each time until it scores again … */
  restMs: 60_000,
  /**
   * … up to this: one that always hangs costs ten seconds an hour, and a repaired one waits no
   * longer.
   */
  restMaxMs: 3_600_000,
};
export type ScoringBudgets = Readonly<typeof scoringBudgets>;
