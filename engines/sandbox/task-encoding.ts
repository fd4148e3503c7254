import type { SandboxTask } from '../../kernel/sandbox.js';

/** Characters encoded per event-loop tick: some milliseconds. */
const charactersPerTick = 512 * 1_024;

/**
 * Encodes the input of the program inside, read completely before it runs anything: a line of JSON
 * and, for each step with spans, a line with these, which the step numbers. In pieces, since
 * encoding 16 MiB at once blocks the event loop for a tenth of a second.
 */
export const encodeTask = async (task: SandboxTask): Promise<readonly string[]> => {
  const { source, scoreType, nodeTypes, steps, keepGoing } = task;
  const head = JSON.stringify({
    source,
    score_type: scoreType,
    node_types: nodeTypes,
    keep_going: keepGoing,
  });
  const pieces = [`${head.slice(0, -1)},"steps":[`];
  const lines: string[] = [];
  let [piece, withSpans] = ['', 0];
  for (const [at, { spans, ...step }] of steps.entries()) {
    const line = spans === null ? null : withSpans;
    if (spans !== null) {
      lines.push('\n', ...spans.json);
      withSpans += 1;
    }
    const text = JSON.stringify({ ...step, spans: line, spans_cut: spans?.cut ?? 0 });
    piece += `${at === 0 ? '' : ','}${text}`;
    if (piece.length < charactersPerTick) continue;
    pieces.push(piece);
    piece = '';
    await new Promise((resolve) => setImmediate(resolve));
  }
  return [...pieces, `${piece}]}`, ...lines];
};
