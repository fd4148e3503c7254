import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { Fault } from '../../kernel/fault.js';
import type { EventLog } from '../../kernel/ports.js';
import { openMutex } from '../../kernel/concurrency.js';
import { allTracesScope } from '../../kernel/records/query-plans.js';
import type { Records } from '../../kernel/records/records.js';
import { temporaryFolder } from '../support/folder.js';
import { fastClock } from '../support/fast-clock.js';
import { traceLoggedEvent } from '../support/trace-logged-event.js';
import { projectorIn, type OpenProjector } from '../support/projector.js';
import { projectId, traceStream } from '../support/random-trace-logs.js';
import { pollUntil } from '../support/poll-until.js';

const traces = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => ({
    stream: traceStream(from + at),
    expected: 'none' as const,
    events: [traceLoggedEvent(from + at)],
  }));

describe('the projector, when its log fails for a moment', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let open: OpenProjector;
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(async () => {
    await open.close();
    await folder.remove();
  });
  const counted = (): Promise<number> => open.records.count(allTracesScope(projectId));

  it('never folds onto a store that still writes the batch before', async () => {
    const away = { since: null as Promise<void> | null, isOver: false };
    const clock = fastClock();
    const runExclusively = openMutex();
    const records = (found: Records): Records => ({
      ...found,
      apply: (writes, checkpoint) =>
        runExclusively(async () => {
          if (writes.groups.length > 0 && away.since === null) {
            away.since = open.log.append(traces(100, 130)).then(() => undefined);
            await away.since;
            for (let turn = 0; turn < 1_000; turn += 1) await nextTurn();
          }
          return found.apply(writes, checkpoint);
        }),
    });
    const reader = (log: EventLog): EventLog => ({
      ...log,
      page: async (...asked) => {
        await away.since;
        if (away.since === null || away.isOver) return log.page(...asked);
        away.isOver = true;
        throw new Fault('unavailable', 'The log is away');
      },
    });
    open = await projectorIn({ dir: folder.dir, clock, records, reader });
    await open.log.append(traces(0, 100));
    await pollUntil('all is folded', 30_000, async () => (await counted()) >= 130);
    expect(away.isOver).to.equal(true);
    expect(await counted()).to.equal(130);
    for (const { name, difference } of await open.projector.verify(null)) {
      expect(difference, name).to.equal(null);
    }
  });

  it('continues after the wait for log growth failed', async () => {
    const asked = { times: 0 };
    const reader = (log: EventLog): EventLog => ({
      ...log,
      waitForGrowth: async (...waiting) => {
        asked.times += 1;
        if (asked.times === 1) throw new Error('disk I/O error');
        return log.waitForGrowth(...waiting);
      },
    });
    open = await projectorIn({ dir: folder.dir, reader });
    await pollUntil('it has failed and been asked again', 30_000, async () => asked.times > 1);
    await open.log.append(traces(0, 3));
    await open.untilCaughtUp();
    expect(await counted()).to.equal(3);
  });
});
