import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { openBus } from '../../engines/memory/bus.js';
import { systemClock } from '../../engines/node/clock.js';
import { Fault } from '../../kernel/fault.js';
import { logStart, type Clock, type Position } from '../../kernel/ports.js';
import type { Json } from '../../kernel/schema-types.js';
import { lateReadMs, openFreshness, type FreshnessNeeds } from '../../projections/freshness.js';
import { openPositionClock } from '../../projections/position-clock.js';
import { movedSubject } from '../../projections/subscription.js';
import {
  openWaitingReads,
  waitingReadMs,
  waitingReadSubject,
} from '../../projections/waiting-reads.js';
import { positionAt } from '../support/record-rows.js';

const beyond = 'f'.repeat(16) as Position;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('waiting for fresh read models', () => {
  let bus: ReturnType<typeof openBus>;
  let asked: number;
  let stored: Position;
  let head: Position;
  let late: string[];
  const opened = (
    clock: Clock = systemClock,
    targets?: FreshnessNeeds['requiredPositions'],
    positionClock?: FreshnessNeeds['positionClock'],
  ) =>
    openFreshness({
      ...(positionClock !== undefined && { positionClock }),
      ...(targets !== undefined && { requiredPositions: targets }),
      onLateRead: (project, name) => late.push(`${project} ${name}`),
      reader: { head: async () => head },
      checkpoints: new Map([
        [
          'tally',
          async () => {
            asked += 1;
            return stored;
          },
        ],
      ]),
      bus,
      clock,
    });
  const says = (message: Json): void => bus.publish(movedSubject, message);
  beforeEach(() => {
    bus = openBus(randomUUID());
    asked = 0;
    late = [];
    stored = logStart;
    head = positionAt(1);
  });
  afterEach(() => bus.close());

  it("trusts the store's checkpoint, not notifications", async () => {
    const freshness = opened();
    says({ name: 'tally', position: beyond });
    await turn();
    let isReached = false;
    const reached = freshness.waitUntilApplied(['tally'], null).then((position) => {
      isReached = true;
      return position;
    });
    for (let count = 0; count < 20; count += 1) {
      says({ name: 'tally', position: beyond });
      await turn();
    }
    expect(isReached).to.equal(false);
    stored = positionAt(1);
    expect(await reached).to.equal(positionAt(1));
    head = positionAt(2);
    setImmediate(() => {
      stored = positionAt(2);
    });
    expect(await freshness.waitUntilApplied(['tally'], positionAt(2))).to.equal(positionAt(2));
  });

  it('uses a prefetched head', async () => {
    const freshness = opened();
    stored = positionAt(1);
    const ahead = freshness.head();
    await turn();
    head = positionAt(2);
    const reached = await freshness.waitUntilApplied(['tally'], null, { head: ahead });
    expect(reached).to.equal(positionAt(1));
  });

  it('follows a store that starts again', async () => {
    let now = 0;
    const clock: Clock = {
      ...systemClock,
      milliseconds: () => now,
      wait: async (ms) => void (now += ms),
    };
    const freshness = opened(clock);
    stored = head = positionAt(5);
    expect(await freshness.waitUntilApplied(['tally'], null)).to.equal(positionAt(5));
    stored = positionAt(1);
    head = positionAt(6);
    expect(await freshness.waitUntilApplied(['tally'], null)).to.equal(positionAt(1));
    const late = freshness.waitUntilApplied(['tally'], positionAt(5));
    expect(await late.catch(({ code }: Fault) => code)).to.equal('read-model-behind');
  });

  it('polls at once after a true notification', async () => {
    const freshness = opened();
    const reached = freshness.waitUntilApplied(['tally'], null);
    await turn();
    const before = asked;
    stored = positionAt(1);
    says({ name: 'tally', position: positionAt(1) });
    await turn();
    expect(asked).to.equal(before + 1);
    expect(await reached).to.equal(positionAt(1));
  });

  it('polls a store at a bounded rate for any number of notifications', async () => {
    const freshness = opened();
    const began = performance.now();
    const all = Array.from({ length: 50 }, () => freshness.waitUntilApplied(['tally'], null));
    for (let count = 0; count < 500; count += 1) {
      says({ name: 'tally', position: beyond });
      await turn();
    }
    expect(asked).to.be.at.most(4 + (performance.now() - began) / 5);
    stored = positionAt(1);
    await Promise.all(all);
  });

  it('ignores malformed notifications', async () => {
    const untilNotified = (_ms: number, signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
    const freshness = opened({ ...systemClock, wait: untilNotified });
    stored = positionAt(1);
    await freshness.waitUntilApplied(['tally'], null);
    head = positionAt(2);
    const reached = freshness.waitUntilApplied(['tally'], null);
    await turn();
    const before = asked;
    const position = beyond;
    const nothing: readonly Json[] = [
      null,
      1,
      'tally',
      [],
      { name: 'tally' },
      { name: 'tally', position: 1 },
      { name: 'tally', position: { toString: 'f' } },
      { name: 'tally', position: positionAt(1) },
      { name: 'tally', position: 'no position' },
      { name: ['tally'], position },
      { name: 'another', position },
      { name: '__proto__', position },
      { name: 'x'.repeat(1_000_000), position },
    ];
    for (const message of nothing) says(message);
    await turn();
    expect(asked).to.equal(before);
    stored = positionAt(2);
    says({ name: 'tally', position: beyond });
    await reached;
  });

  it('waits for 2 s, and longer when the read requires it', async () => {
    let passed = 0;
    const freshness = opened({
      ...systemClock,
      milliseconds: () => passed,
      wait: async (ms) => {
        passed += ms;
        if (passed >= 5_000) stored = positionAt(1);
      },
    });
    const reached = (waiting: object = {}) =>
      freshness
        .waitUntilApplied(['tally'], positionAt(1), waiting)
        .catch(({ code }: Fault) => code);
    expect(await reached()).to.equal('read-model-behind');
    expect(passed).to.be.within(2_000, 2_100);
    expect(await reached({ atMostMs: 8_000 })).to.equal(positionAt(1));
  });

  describe('the lag of a read model', () => {
    const lags = async (recordedAt: number | null, min: Position | null = null) => {
      let passed = 10_000;
      const positionClock = openPositionClock();
      if (recordedAt !== null) {
        positionClock.recordHead(logStart, 0);
        positionClock.recordHead(head, recordedAt);
      }
      const waits = {
        ...systemClock,
        milliseconds: () => passed,
        wait: async (ms: number) => void (passed += ms),
      };
      const seconds: number[] = [];
      const outcome = await opened(waits, undefined, positionClock)
        .waitUntilApplied(['tally'], min, { onBehind: (lag) => seconds.push(lag) })
        .catch(({ code }: Fault) => code);
      return [outcome, ...seconds];
    };

    it('is reported when the wait was in vain, from when the log passed the model', async () => {
      expect(await lags(4_500)).to.deep.equal([logStart, 8]);
    });

    it('is at least the wait, and reported with a refusal too', async () => {
      expect(await lags(null)).to.deep.equal([logStart, 2]);
      expect(await lags(11_900, positionAt(1))).to.deep.equal(['read-model-behind', 2]);
    });

    it('is not reported once the model has what the read requires', async () => {
      stored = positionAt(1);
      expect(await lags(4_500)).to.deep.equal([positionAt(1)]);
    });
  });

  it('reports each late read of a project once', async () => {
    let passed = 0;
    let reachedAfter = lateReadMs;
    const freshness = opened({
      ...systemClock,
      milliseconds: () => passed,
      wait: async (ms) => {
        passed += ms;
        if (passed >= reachedAfter) stored = head;
      },
    });
    await freshness.waitUntilApplied(['tally'], null, { project: 'p' });
    expect(late, 'in time').to.deep.equal([]);
    head = positionAt(2);
    reachedAfter = passed + 5 * lateReadMs;
    await freshness.waitUntilApplied(['tally'], null, { project: 'p' });
    expect(late).to.deep.equal(['p tally']);
    head = positionAt(3);
    reachedAfter = passed + 5 * lateReadMs;
    await freshness.waitUntilApplied(['tally'], null);
    expect(late, 'of no project').to.deep.equal(['p tally']);
  });

  it('announces the position that a read of a project waits for, once', async () => {
    let passed = 0;
    let reachedAfter = 0;
    const freshness = opened({
      ...systemClock,
      milliseconds: () => passed,
      wait: async (ms) => {
        passed += ms;
        if (passed >= reachedAfter) stored = head;
      },
    });
    const waiting = openWaitingReads(bus, { milliseconds: () => passed });
    await freshness.waitUntilApplied(['tally'], null, { project: 'p' });
    await turn();
    expect(waiting.projectAt(head), 'in time').to.equal(null);
    let announced = 0;
    bus.subscribe(waitingReadSubject, () => void (announced += 1));
    head = positionAt(2);
    reachedAfter = passed + 10 * waitingReadMs;
    await freshness.waitUntilApplied(['tally'], null, { project: 'p' });
    await turn();
    expect(announced).to.equal(1);
    expect(waiting.projectAt(head)).to.equal('p');
    expect(waiting.projectAt(positionAt(1)), 'another position').to.equal(null);
  });

  it('does not wait for events that cannot change the result', async () => {
    const targets = { head: () => positionAt(3), positionFor: () => positionAt(2) };
    const freshness = opened(systemClock, targets);
    head = positionAt(4);
    stored = positionAt(2);
    const about = { project: 'p', atMostMs: 60_000 };
    expect(await freshness.waitUntilApplied(['tally'], null, about)).to.equal(positionAt(3));
    expect(await freshness.waitUntilApplied(['tally'], positionAt(3), about)).to.equal(
      positionAt(3),
    );
    let isReached = false;
    // Nobody was answered with the newest yet, but somebody asks for it.
    const newest = freshness.waitUntilApplied(['tally'], positionAt(4), about).finally(() => {
      isReached = true;
    });
    const all = freshness.waitUntilApplied(['tally'], null, { atMostMs: 60_000 });
    for (let count = 0; count < 10; count += 1) await turn();
    expect(isReached).to.equal(false);
    stored = positionAt(4);
    expect(await newest).to.equal(positionAt(4));
    expect(await all).to.equal(positionAt(4));
  });

  it('refuses a position beyond the head at once', async () => {
    const freshness = opened();
    const refusal = await freshness
      .waitUntilApplied(['tally'], beyond)
      .catch((fault: unknown) => fault);
    expect(refusal).to.be.instanceOf(Fault);
    expect((refusal as Fault).code).to.equal('read-model-behind');
    expect(asked).to.equal(0);
  });
});
