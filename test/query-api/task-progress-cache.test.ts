import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { progressSubject } from '../../contract/scorer-validation.js';
import { openBus } from '../../engines/memory/bus.js';
import type { Json } from '../../kernel/schema-types.js';
import { openTaskProgressCache } from '../../query-api/scorer-tasks/task-progress-cache.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('progress notifications of tasks', () => {
  const task = randomUUID();
  const bus = openBus(randomUUID());
  const progresses = openTaskProgressCache(bus);
  const says = (message: Json): void => bus.publish(progressSubject, message);
  after(() => bus.close());

  it('count when well-formed, and never decrease', async () => {
    says({ task, steps: 2, percent: 40 });
    says({ task, steps: 1, percent: 20 });
    await turn();
    expect(progresses.of(task)).to.deep.equal({ steps: 2, percent: 40 });
  });

  it('are ignored when malformed', async () => {
    const lies: readonly Json[] = [
      null,
      7,
      [],
      { task, steps: 3, percent: 101 },
      { task, steps: 3, percent: -1 },
      { task, steps: 3, percent: '50' },
      { task, steps: 0.5, percent: 50 },
      { task, steps: -1, percent: 50 },
      { task, steps: {}, percent: 50 },
      { task: [task], steps: 3, percent: 50 },
      { task: 'x'.repeat(100_000), steps: 3, percent: 50 },
      { task: '__proto__', steps: 3, percent: 50 },
    ];
    for (const lie of lies) says(lie);
    await turn();
    expect(progresses.of(task)).to.deep.equal({ steps: 2, percent: 40 });
    expect(progresses.of('x'.repeat(100_000))).to.equal(null);
    expect(progresses.of('__proto__')).to.equal(null);
  });

  it('are cached for a bounded number of tasks', async () => {
    const first = randomUUID();
    says({ task: first, steps: 1, percent: 1 });
    for (let count = 0; count < 10_000; count += 1) {
      says({ task: randomUUID(), steps: 1, percent: 1 });
    }
    await turn();
    expect(progresses.of(first)).to.equal(null);
  });
});
