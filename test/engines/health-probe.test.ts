import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { systemClock } from '../../engines/node/clock.js';
import { Fault } from '../../kernel/fault.js';
import { mapMethods } from '../../kernel/map-methods.js';
import type { Clock } from '../../kernel/ports.js';
import { startHealthProbe } from '../../engines/node/health-probe.js';
import { pollUntil } from '../support/poll-until.js';

const never = new Promise<never>(() => undefined);
const lookMs = 10;

/** Clock that stands still until `pass`, which resolves once the waits that ended have run on. */
const handClock = (): Clock & { readonly pass: (ms: number) => Promise<void> } => {
  let now = 0;
  const waits = new Map<() => void, number>();
  return {
    ...systemClock,
    milliseconds: () => now,
    wait: (ms, signal) =>
      new Promise<void>((resolve) => {
        waits.set(resolve, now + ms);
        signal.addEventListener('abort', () => resolve(), { once: true });
      }),
    pass: async (ms) => {
      now += ms;
      for (const [resolve, until] of waits) {
        if (until > now) continue;
        waits.delete(resolve);
        resolve();
      }
      // The probe itself takes a turn of the event loop before it reports silence.
      for (let turns = 0; turns < 3; turns += 1) await nextTurn();
    },
  };
};

describe('the health probe of an engine', () => {
  let answer: () => Promise<number>;
  const stopped: AbortController[] = [];
  const opened = (patienceMs: number, clock: Clock = systemClock) => {
    const end = new AbortController();
    stopped.push(end);
    const about = { what: 'the engine', clock, signal: end.signal };
    return startHealthProbe(about, () => answer(), patienceMs);
  };
  afterEach(() => stopped.splice(0).forEach((end) => end.abort()));
  const faultOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'done',
      (error: unknown) => (error instanceof Fault ? error.code : error),
    );

  it('returns the newest result, and keeps it while no newer one exists', async () => {
    answer = async () => 1;
    const pulse = opened(50);
    await pulse.probeNow(1_000);
    expect([pulse.lastResult(), pulse.lastError()]).to.deep.equal([1, null]);
    answer = async () => Promise.reject(new Error('refused'));
    await pollUntil('the error of the probe', 5_000, async () => pulse.lastError() !== null);
    expect([pulse.lastResult(), pulse.lastError()]).to.deep.equal([1, 'refused']);
    expect(await pulse.runWhileUp(async () => 'asked all the same')).to.equal('asked all the same');
  });

  it('answers callers in time, however long the engine takes', async () => {
    answer = () => never;
    const pulse = opened(60_000);
    await pulse.probeNow(lookMs);
    expect(pulse.lastResult()).to.equal(null);
  });

  it('rejects calls of an unresponsive engine until it responds again', async () => {
    answer = () => never;
    const pulse = opened(20);
    expect(await faultOf(pulse.runWhileUp(() => never))).to.equal('unavailable');
    expect(pulse.lastError()).to.equal('the engine did not answer within 0.02 s');
    let asked = false;
    const work = async (): Promise<void> => void (asked = true);
    expect(await faultOf(pulse.runWhileUp(work))).to.equal('unavailable');
    expect(asked).to.equal(false);
    answer = async () => 2;
    await pollUntil('an answer', 5_000, async () => pulse.lastError() === null);
    expect(await faultOf(pulse.runWhileUp(work))).to.equal('done');
  });

  it('counts other responses as heartbeats, and reports when they stop', async () => {
    answer = () => never;
    const clock = handClock();
    const pulse = opened(200, clock);
    for (let passed = 0; passed < 600; passed += lookMs) {
      await pulse.runWhileUp(async () => undefined);
      await clock.pass(lookMs);
    }
    expect(pulse.lastError()).to.equal(null);
    const unanswered = faultOf(pulse.runWhileUp(() => never));
    await clock.pass(200);
    expect(pulse.lastError()).to.equal('the engine did not answer within 0.2 s');
    expect(await unanswered).to.equal('unavailable');
  });

  it('guards each call of a port, also between two pages of a result', async () => {
    answer = () => never;
    const pulse = opened(20);
    const port = {
      get: (): Promise<number> => never,
      close: async () => 'closed',
      dump: async function* dump(): AsyncGenerator<number> {
        yield 1;
        await never;
      },
    };
    const heeded = mapMethods(port, ['get'], pulse.runWhileUp, ['dump']);
    const pieces: number[] = [];
    const dumped = async (): Promise<void> => {
      for await (const piece of heeded.dump()) pieces.push(piece);
    };
    expect(await Promise.all([faultOf(heeded.get()), faultOf(dumped())])).to.deep.equal([
      'unavailable',
      'unavailable',
    ]);
    expect(pieces).to.deep.equal([1]);
    expect(await heeded.close()).to.equal('closed');
  });
});
