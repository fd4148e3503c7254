import { expect } from 'chai';
import { openBus } from '../../engines/memory/bus.js';
import { randomUUID } from 'node:crypto';
import { Fault } from '../../kernel/fault.js';
import type { Clock, Position } from '../../kernel/ports.js';
import { openFillMonitor } from '../../projections/fill-monitor.js';
import { openFreshness } from '../../projections/freshness.js';
import { positionDistance } from '../../projections/progress.js';
import { positionAt } from '../support/record-rows.js';

/** One read model beside a log, both moved by hand, on a clock that waits in no time. */
const world = (at: { stored: number; head: number }) => {
  let now = 0;
  const clock: Clock = {
    now: () => '2026-01-01T00:00:00.000Z' as never,
    milliseconds: () => now,
    wait: async (milliseconds) => void (now += milliseconds),
  };
  const reader = {
    head: async () => positionAt(at.head),
    lag: async (after: Position) => positionDistance(after, positionAt(at.head)),
  };
  let looks = 0;
  let looked = (): void => undefined;
  const filling = openFillMonitor({ reader, clock });
  const checkpoints = filling.wrapCheckpoints(
    new Map([
      [
        'records',
        async () => {
          looks += 1;
          looked();
          return positionAt(at.stored);
        },
      ],
    ]),
  );
  const bus = openBus(randomUUID());
  const freshness = openFreshness({
    reader,
    checkpoints,
    bus,
    clock,
    fillMonitor: filling,
    // Of the one process that appends: it need not look once it has seen the read model there.
    requiredPositions: { head: () => positionAt(at.head), positionFor: () => positionAt(at.head) },
  });
  return {
    at,
    filling,
    look: async () => void (await checkpoints.get('records')?.()),
    pass: (milliseconds: number) => void (now += milliseconds),
    looks: () => looks,
    onLook: (move: () => void) => void (looked = move),
    read: () =>
      freshness.waitUntilApplied(['records'], null, { project: 'p' }).then(
        (position) => position,
        (error: unknown) => error as Fault,
      ),
  };
};

describe('a read model that is being filled from the log', () => {
  it('refuses reads with its progress until all earlier events are folded', async () => {
    const { at, filling, look, pass, read } = world({ stored: 0, head: 1_000 });
    await look();
    pass(10_000);
    at.stored = 250;
    await look();
    const refused = (await read()) as Fault;
    expect(refused).to.be.instanceOf(Fault);
    expect(refused.code).to.equal('read-model-filling');
    expect(refused.message).to.equal(
      'The read model records is being filled from the log: 25 % done, about 30 s left. ' +
        'Retry after 30 s; writes are accepted meanwhile.',
    );
    expect(refused.retryAfterSeconds).to.equal(30);
    expect(refused.members).to.deep.equal({
      progress: { read_model: 'records', ratio: 0.25, eta_seconds: 30 },
    });
    at.head = 1_500;
    at.stored = 1_000;
    expect(await read(), 'what came later is lag').to.equal(positionAt(1_000));
    expect(filling.allProgress()).to.deep.equal([]);
  });

  it('lets reads wait when the rest takes no longer than a read may wait', async () => {
    const { at, look, onLook, read } = world({ stored: 0, head: 1_000 });
    await look();
    onLook(() => {
      at.stored = 1_000;
    });
    expect(await read()).to.equal(positionAt(1_000));
  });

  it('lacks more than a hundred events: fewer count as lag', async () => {
    const { filling, look, read } = world({ stored: 900, head: 1_000 });
    await look();
    expect(filling.allProgress()).to.deep.equal([]);
    expect(await read()).to.equal(positionAt(900));
  });

  it('is detected when its store goes back to the start while the service runs', async () => {
    const { at, filling, look, read } = world({ stored: 1_000, head: 1_000 });
    expect(await read()).to.equal(positionAt(1_000));
    at.stored = 0;
    await look();
    expect(filling.progressOf('records')).to.include({ until: positionAt(1_000), ratio: 0 });
    expect(((await read()) as Fault).code).to.equal('read-model-filling');
    at.stored = 1_000;
    expect(await read()).to.equal(positionAt(1_000));
  });

  it('is waited for until it is where it was, once it went back by a few events', async () => {
    const { at, look, onLook, read } = world({ stored: 1_000, head: 1_000 });
    await read();
    at.stored = 950;
    await look();
    onLook(() => {
      at.stored = 1_000;
    });
    expect(await read()).to.equal(positionAt(1_000));
    expect(at.stored, 'the read looked at the store').to.equal(1_000);
  });

  it('is checked before the next read once its store may have lost data', async () => {
    const { at, filling, looks, read } = world({ stored: 1_000, head: 1_000 });
    await read();
    const before = looks();
    await read();
    expect(looks(), 'a whole one is not looked at').to.equal(before);
    filling.markSuspect('records');
    expect(await read(), 'it lost nothing').to.equal(positionAt(1_000));
    at.stored = 0;
    filling.markSuspect('records');
    expect(((await read()) as Fault).code).to.equal('read-model-filling');
  });
});
