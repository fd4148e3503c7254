import type { ScorerTask } from '../../kernel/sandbox.js';

/** What the program inside reads, whole, before it runs anything. */
export const jobOf = (task: ScorerTask): string =>
  JSON.stringify({
    source: task.source,
    score_type: task.scoreType,
    node_types: task.nodeTypes,
    steps: task.steps,
    keep_going: task.keepGoing,
  });
