import {
  progressSubject,
  type TaskProgressMessage,
  type TaskProgress,
} from '../../contract/scorer-validation.js';
import type { NotificationBus } from '../../kernel/ports.js';
import type { Json } from '../../kernel/schema-types.js';

/**
 * Progress of tasks, from workers' notifications. It never decreases, even when a task restarts.
 */
export type TaskProgressCache = { readonly of: (task: string) => TaskProgress | null };

/** Cache limit; the tasks updated longest ago are evicted first. */
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

/** Validates a notification, since any publisher on the bus can send one; null when malformed. */
const parseProgress = (message: Json): TaskProgressMessage | null => {
  const { task, steps, percent } = (message ?? {}) as Readonly<Record<string, Json>>;
  if (typeof task !== 'string' || !taskForm.test(task)) return null;
  if (typeof steps !== 'number' || !Number.isSafeInteger(steps) || steps < 0) return null;
  if (typeof percent !== 'number' || !(percent >= 0 && percent <= 100)) return null;
  return { task, steps, percent };
};
const taskForm = /^[0-9a-f-]{36}$/;
