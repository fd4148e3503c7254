import { expect } from 'chai';
import * as fc from 'fast-check';
import { Fault } from '../../kernel/fault.js';
import { openLimiter, type Limit, type Limiter } from '../../kernel/limiter.js';
import { runs } from '../support/runs.js';
import { drawSeed } from '../support/test-environment.js';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const codeOf = (error: unknown): unknown => (error instanceof Fault ? error.code : error);

/** Calls of a limiter, by name, in the order in which they were admitted. */
const openCalls = (limiter: Limiter<'key'>) => {
  const admitted: string[] = [];
  const releases = new Map<string, () => void>();
  return {
    admitted,
    call: (name: string, key: string, options: { signal?: AbortSignal; weight?: number } = {}) =>
      limiter.acquire({ key }, options).then((release) => {
        admitted.push(name);
        releases.set(name, release);
      }),
    release: async (name: string) => {
      releases.get(name)?.();
      await settled();
    },
  };
};

describe('limiter', () => {
  const limit: Limit<'key'> = { size: 3, shares: { key: 2 }, waitersMax: 2 };

  it('leaves room for others however many calls one key makes', async () => {
    const { admitted, call } = openCalls(openLimiter({ ...limit, waitersMax: Infinity }));
    for (let n = 0; n < 6; n += 1) void call(`heavy ${n}`, 'heavy');
    await call('other', 'other');
    expect(admitted).to.deep.equal(['heavy 0', 'heavy 1', 'other']);
  });

  it('gives the next slot to the key that holds least or was served earliest', async () => {
    const limiter = openLimiter({ size: 2, shares: { key: 1 }, waitersMax: 9 });
    const { admitted, call, release } = openCalls(limiter);
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) void call(name, name.slice(0, 1));
    await settled();
    for (let n = 0; n < 6; n += 1) await release(admitted[n] ?? '');
    expect(admitted).to.deep.equal(['a1', 'b1', 'a2', 'b2', 'c1', 'a3']);
    await limiter.whenIdle();
  });

  it('serves a key that waits before keys that come later, however many they are', async () => {
    const { admitted, call, release } = openCalls(
      openLimiter({ size: 1, shares: { key: 1 }, waitersMax: 9 }),
    );
    await call('first', 'old');
    void call('second', 'old');
    for (let n = 0; n < 3; n += 1) void call(`new ${n}`, `new ${n}`);
    for (let n = 0; n < 3; n += 1) {
      await release(admitted.at(-1) ?? '');
      void call(`later ${n}`, `later ${n}`);
    }
    expect(admitted).to.deep.equal(['first', 'second', 'new 0', 'new 1']);
  });

  it('refuses a key with a full queue, and no other key', async () => {
    const { admitted, call, release } = openCalls(openLimiter(limit));
    for (let n = 0; n < 4; n += 1) void call(`heavy ${n}`, 'heavy');
    const refused = await call('heavy 4', 'heavy').catch((error: unknown) => error);
    expect(codeOf(refused)).to.equal('unavailable');
    expect((refused as Fault).retryAfterSeconds).to.equal(5);
    await call('other', 'other');
    await release('heavy 0');
    expect(admitted).to.deep.equal(['heavy 0', 'heavy 1', 'other', 'heavy 2']);
  });

  it('drops a cancelled call, and admits those that it kept waiting', async () => {
    const { admitted, call, release } = openCalls(openLimiter({ ...limit, shares: { key: 3 } }));
    await call('first', 'a', { weight: 2 });
    const gone = new AbortController();
    const heavy = call('heavy', 'b', { weight: 3, signal: gone.signal }).catch(codeOf);
    void call('light', 'c');
    await settled();
    expect(admitted).to.deep.equal(['first']);
    gone.abort();
    expect(await heavy).to.equal('unavailable');
    await settled();
    expect(admitted).to.deep.equal(['first', 'light']);
    expect(await call('late', 'd', { signal: gone.signal }).catch(codeOf)).to.equal('unavailable');
    await release('first');
    await call('heavy again', 'b', { weight: 2 });
  });

  it('names the bound that a call exceeds which does not wait', () => {
    const bounds: string[] = [];
    const limiter = openLimiter(
      { size: 3, shares: { key: 2, person: 1 }, waitersMax: 0 },
      (bound) => {
        bounds.push(bound);
        return new Fault('unavailable', bound);
      },
    );
    const release = limiter.acquireNow({ key: 'a', person: 'x' });
    expect(() => limiter.acquireNow({ key: 'b', person: 'x' })).to.throw(Fault);
    limiter.acquireNow({ key: 'a' });
    expect(() => limiter.acquireNow({ key: 'a', person: 'y' })).to.throw(Fault);
    limiter.acquireNow({});
    expect(() => limiter.acquireNow({})).to.throw(Fault);
    release();
    release();
    limiter.acquireNow({});
    expect(() => limiter.acquireNow({})).to.throw(Fault);
    expect(bounds).to.deep.equal(['person', 'key', 'size', 'size']);
  });

  it('releases the slot of work that fails, and one that work yields', async () => {
    const limiter = openLimiter({ size: 1, shares: { key: 1 }, waitersMax: 9 });
    const failed = limiter.run({ key: 'a' }, {}, async () => {
      throw new Error('failed');
    });
    expect(await failed.catch((error: unknown) => String(error))).to.equal('Error: failed');
    const order: string[] = [];
    const gate = Promise.withResolvers<void>();
    const yielding = limiter.run({ key: 'a' }, {}, async (yieldSlot) => {
      await yieldSlot(() => gate.promise);
      order.push('yielding');
      expect(() => limiter.acquireNow({ key: 'b' })).to.throw(Fault);
    });
    await limiter.run({ key: 'a' }, {}, async () => {
      order.push('meanwhile');
    });
    gate.resolve();
    await yielding;
    expect(order).to.deep.equal(['meanwhile', 'yielding']);
    await limiter.whenIdle();
  });

  it('keeps bounds and order, and starves no key, for random calls', async () => {
    const seed = drawSeed('calls of a limiter');
    const step = fc.oneof(
      fc.record({
        kind: fc.constant('call' as const),
        key: fc.constantFrom('a', 'b', 'c', 'd'),
        weight: fc.integer({ min: 1, max: 6 }),
      }),
      fc.record({ kind: fc.constantFrom('release' as const, 'abort' as const), at: fc.nat(50) }),
    );
    const limitOf = fc.record({
      size: fc.integer({ min: 1, max: 8 }),
      share: fc.integer({ min: 1, max: 8 }),
    });
    const property = fc.asyncProperty(
      limitOf,
      fc.array(step, { maxLength: 60 }),
      async ({ size, share }, steps) => {
        const model = openModel(size, share);
        for (const one of steps) {
          if (one.kind === 'call') model.call(one.key, one.weight);
          else model.end(one.kind, one.at);
          await settled();
          model.check();
        }
        await model.drain();
      },
    );
    await fc.assert(property, { seed, numRuns: runs(60), endOnFailure: true });
  });
});

type ModelCall = {
  readonly key: string;
  readonly weight: number;
  readonly abort: AbortController;
  /** Null while it waits. */
  release: (() => void) | null;
  /** Others of other keys that were admitted since it was the first of a key that holds nothing. */
  passed: number;
};

/** Limiter with a list of its calls, which checks each state that the limiter leaves. */
const openModel = (size: number, share: number) => {
  const limiter = openLimiter({ size, shares: { key: share }, waitersMax: Infinity });
  const calls: ModelCall[] = [];
  const problems: string[] = [];
  const held = (key?: string) =>
    calls.filter((one) => one.release !== null && (key === undefined || one.key === key));
  const sum = (some: readonly ModelCall[]) => some.reduce((all, { weight }) => all + weight, 0);
  const waiting = (key?: string) =>
    calls.filter((one) => one.release === null && (key === undefined || one.key === key));
  const remove = (one: ModelCall) => calls.splice(calls.indexOf(one), 1);
  const admit = (one: ModelCall, release: () => void) => {
    if (waiting(one.key)[0] !== one) problems.push('a call passed an earlier one of its key');
    for (const key of new Set(waiting().map((other) => other.key))) {
      const [first] = waiting(key);
      if (first === undefined || key === one.key || held(key).length > 0) continue;
      first.passed += 1;
      // Four keys: each of the others passes once, before this one is next.
      if (first.passed > 3) problems.push(`${first.passed} calls passed one of ${key}`);
    }
    one.release = release;
  };
  const fits = ({ key, weight }: ModelCall) =>
    (held().length === 0 || sum(held()) + weight <= size) &&
    (held(key).length === 0 || sum(held(key)) + weight <= share);
  return {
    call: (key: string, weight: number) => {
      const one: ModelCall = {
        key,
        weight,
        abort: new AbortController(),
        release: null,
        passed: 0,
      };
      calls.push(one);
      limiter.acquire({ key }, { weight, signal: one.abort.signal }).then(
        (release) => admit(one, release),
        () => undefined,
      );
    },
    end: (kind: 'release' | 'abort', at: number) => {
      const some = kind === 'release' ? held() : waiting();
      const one = some[at % Math.max(1, some.length)];
      if (one === undefined) return;
      remove(one);
      if (kind === 'abort') one.abort.abort();
      else one.release?.();
    },
    check: () => {
      expect(problems).to.deep.equal([]);
      expect(held().length <= 1 || sum(held()) <= size, 'all within the size').to.equal(true);
      for (const key of ['a', 'b', 'c', 'd']) {
        const own = held(key);
        expect(own.length <= 1 || sum(own) <= share, 'each within its share').to.equal(true);
      }
      // Slots: none is free while a call waits that fits.
      if (calls.every(({ weight }) => weight === 1))
        expect(waiting().some(fits), 'a call waits beside free room').to.equal(false);
      if (held().length === 0) expect(waiting()).to.have.length(0);
    },
    drain: async () => {
      while (held().length > 0) {
        const [one] = held();
        if (one !== undefined) remove(one).forEach(({ release }) => release?.());
        await settled();
      }
      expect(calls, 'calls that wait for ever').to.have.length(0);
      await limiter.whenIdle();
    },
  };
};
