import type { ScorerTask } from '../../kernel/sandbox.js';

/**
 * What the program inside writes, a line each: `!` from here on a stranger's code runs, `@7` the
 * step at place 7 begins, `={…}` the verdict as the harness has it, `=flood` it printed too much.
 * All of it but `!` may be forged by that code.
 */
export type Line = '!' | `@${number}` | `=${string}`;

/** What the program inside reads, whole, before it runs anything. */
export const jobOf = (task: ScorerTask): string =>
  JSON.stringify({
    source: task.source,
    score_type: task.scoreType,
    node_types: task.nodeTypes,
    steps: task.steps,
    keep_going: task.keepGoing,
  });
