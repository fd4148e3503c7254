import type { SandboxTask } from '../../kernel/sandbox.js';

/** Characters that are made into JSON before others have their turn: some milliseconds. */
const turnMax = 512 * 1_024;

/**
 * What the program inside reads, whole, before it runs anything; in pieces, since 16 MiB made at
 * once keep everybody waiting for a tenth of a second.
 */
export const jobOf = async (task: SandboxTask): Promise<readonly string[]> => {
  const { source, scoreType, nodeTypes, steps, keepGoing } = task;
  const head = JSON.stringify({
    source,
    score_type: scoreType,
    node_types: nodeTypes,
    keep_going: keepGoing,
  });
  const pieces = [`${head.slice(0, -1)},"steps":[`];
  let piece = '';
  for (const [at, step] of steps.entries()) {
    piece += `${at === 0 ? '' : ','}${JSON.stringify(step)}`;
    if (piece.length < turnMax) continue;
    pieces.push(piece);
    piece = '';
    await new Promise((resolve) => setImmediate(resolve));
  }
  return [...pieces, `${piece}]}`];
};
