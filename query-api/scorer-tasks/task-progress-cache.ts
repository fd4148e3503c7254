import {
  progressSubject,
  type TaskProgressMessage,
  type TaskProgress,
} from '../../contract/scorer-validation.js';
import type { NotificationBus } from '../../kernel/ports.js';
import type { Json } from '../../kernel/schema-types.js';

/** How far tasks have come, as workers hint. It never falls, even when a task begins anew. */
export type TaskProgressCache = { readonly of: (task: string) => TaskProgress | null };

/** Those of tasks that ended long ago go first. */
const keptMax = 10_000;

export const openTaskProgressCache = (
  bus: Pick<NotificationBus, 'subscribe'>,
): TaskProgressCache => {
  const known = new Map<string, TaskProgress>();
  bus.subscribe(progressSubject, (message) => {
    const hint = parseProgress(message);
    if (hint === null) return;
    const before = known.get(hint.task);
    if (before !== undefined && before.percent >= hint.percent) return;
    known.delete(hint.task);
    known.set(hint.task, { steps: hint.steps, percent: hint.percent });
    for (const oldest of known.keys()) {
      if (known.size <= keptMax) break;
      known.delete(oldest);
    }
  });
  return { of: (task) => known.get(task) ?? null };
};

/** Null for what no worker would say: anybody on the bus can say anything. */
const parseProgress = (message: Json): TaskProgressMessage | null => {
  const { task, steps, percent } = (message ?? {}) as Readonly<Record<string, Json>>;
  if (typeof task !== 'string' || !taskForm.test(task)) return null;
  if (typeof steps !== 'number' || !Number.isSafeInteger(steps) || steps < 0) return null;
  if (typeof percent !== 'number' || !(percent >= 0 && percent <= 100)) return null;
  return { task, steps, percent };
};
const taskForm = /^[0-9a-f-]{36}$/;
