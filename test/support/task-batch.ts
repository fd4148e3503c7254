import { encodeTask } from '../../engines/sandbox/task-encoding.js';
import { readVerdict } from '../../engines/sandbox/verdict.js';
import type { Sandbox, SandboxTask, ScorerVerdict } from '../../kernel/sandbox.js';
import { stepOf, taskOf } from './sandboxes.js';

/** A scorer that has the harness judge the job in its input, in the interpreter that runs both. */
const judge = `
import assay_harness
def scorer_fn(*, node_input, **kwargs) -> str:
    return assay_harness.run(node_input, lambda place: None, lambda seed: None)`;

const judgeAll = async (
  sandbox: Sandbox,
  tasks: readonly SandboxTask[],
): Promise<readonly ScorerVerdict[]> => {
  const jobs = await Promise.all(tasks.map(async (task) => (await encodeTask(task)).join('')));
  const steps = jobs.map((input, index) => stepOf(index, { input }));
  const verdict = await sandbox.run(taskOf(judge, { steps }));
  if (verdict.verdict !== 'valid') throw new Error(JSON.stringify(verdict));
  return tasks.map((task, at) => {
    const text = String(verdict.scores[at]?.score);
    const read = readVerdict(text, task);
    if (read === null) throw new Error(`no verdict: ${text}`);
    return read;
  });
};

/**
 * Batch of tasks that one sandbox process judges, since the start of an interpreter takes a second
 * of the processor. For rules of the harness; limits and isolation need a process per task. `add`
 * before the first test begins; the first call of what it answers judges all.
 */
export const openTaskBatch = (sandbox: () => Sandbox) => {
  const tasks: SandboxTask[] = [];
  let verdicts: Promise<readonly ScorerVerdict[]> | null = null;
  return {
    add: (source: string, more: Partial<SandboxTask> = {}): (() => Promise<ScorerVerdict>) => {
      const at = tasks.push(taskOf(source, more)) - 1;
      return async () => {
        const all = await (verdicts ??= judgeAll(sandbox(), tasks));
        const verdict = all[at];
        if (verdict === undefined) throw new RangeError('the task was added too late');
        return verdict;
      };
    },
  };
};
