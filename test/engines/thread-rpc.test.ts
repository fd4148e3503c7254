import { expect } from 'chai';
import { MessageChannel } from 'node:worker_threads';
import { callProxy, serveCalls } from '../../engines/node/thread-rpc.js';
import { Fault, valueFault } from '../../kernel/fault.js';
import type { QueryContext } from '../../kernel/ports.js';
import { warningsDuring } from '../support/node-warnings.js';

type Store = {
  add(one: number, other: number): Promise<number>;
  groups(names: readonly string[]): Promise<ReadonlyMap<string, readonly { n: number }[]>>;
  refuse(): Promise<never>;
  break(): Promise<never>;
  slow(): Promise<void>;
  ask(what: string, asking?: QueryContext): Promise<string>;
  given(): Promise<readonly string[]>;
  count(progress: (n: number) => void): Promise<string>;
  bytes(): Promise<readonly Uint8Array[]>;
  numbers(to: number): AsyncIterable<number>;
};

describe('thread RPC', () => {
  let channel: MessageChannel;
  let store: Store;
  let released: number;
  let kept: readonly Uint8Array[];
  /** Called when a hanging call is aborted. */
  let end: () => void;
  /** Its signal there. */
  let told: AbortSignal | undefined;
  beforeEach(() => {
    released = 0;
    const given: string[] = [];
    kept = [new Uint8Array([1, 2]), new Uint8Array(4).subarray(1, 3)];
    end = () => undefined;
    channel = new MessageChannel();
    const target: Store = {
      add: async (one, other) => one + other,
      groups: async (names) => new Map(names.map((name, n) => [name, [{ n }]])),
      refuse: async () => {
        throw valueFault(['body', 'x'], 'no');
      },
      break: async () => {
        throw new RangeError('out of bounds', {
          cause: new Error('Out of Memory at "a canary"', { cause: new Error('deeper') }),
        });
      },
      slow: () => new Promise(() => undefined),
      ask: async (what, { signal } = {}) => {
        if (what === 'much') {
          for (let n = 0; n < 12; n += 1) signal?.addEventListener('abort', () => undefined);
        }
        if (what !== 'hang') return `${what} ${String(signal?.aborted)}`;
        return new Promise((_resolve, reject) =>
          signal?.addEventListener('abort', () => {
            given.push(what);
            told = signal;
            end = () => reject(new Error('ended'));
          }),
        );
      },
      given: async () => given,
      count: async (progress) => {
        for (let n = 0; n < 3; n += 1) progress(n);
        return 'done';
      },
      bytes: async () => kept,
      async *numbers(to) {
        try {
          for (let n = 0; n < to; n += 1) yield n;
          if (to === 7) throw new RangeError('seven');
        } finally {
          released += 1;
        }
      },
    };
    serveCalls(channel.port1, target);
    store = callProxy<Store>(channel.port2, ['numbers']);
  });
  afterEach(() => channel.port2.close());

  it('passes values that structured clone can carry', async () => {
    expect(await store.add(1, 2)).to.equal(3);
    const groups = await store.groups(['a', 'b']);
    expect([...groups]).to.deep.equal([
      ['a', [{ n: 0 }]],
      ['b', [{ n: 1 }]],
    ]);
  });

  it('passes a Fault with its code and complaints, other errors with their message', async () => {
    const fault = await store.refuse().catch((error: unknown) => error as Fault);
    expect(fault).to.be.instanceOf(Fault);
    expect(fault.code).to.equal('invalid');
    expect(fault.complaints[0]?.loc).to.deep.equal(['body', 'x']);
    const error = await store.break().catch((thrown: unknown) => thrown as Error);
    expect(error).to.not.be.instanceOf(Fault);
    expect(error.message).to.equal('out of bounds');
    expect((error.cause as Error).message).to.equal('Out of Memory at …: deeper');
  });

  it('transfers bytes instead of copying, when they have a buffer of their own', async () => {
    const [one, other] = await store.bytes();
    expect([[...(one ?? [])], [...(other ?? [])]]).to.deep.equal([
      [1, 2],
      [0, 0],
    ]);
    expect(kept.map(({ byteLength }) => byteLength)).to.deep.equal([0, 2]);
  });

  it('rejects methods that the port does not have', async () => {
    const other = callProxy<{ toString(): Promise<string>; gone(): Promise<void> }>(channel.port2);
    const error = await other.gone().catch((thrown: unknown) => thrown as Error);
    expect((error as Error).message).to.equal('no method is called gone');
  });

  it('reads iterables page by page and ends one that is left early', async () => {
    const all = await Array.fromAsync(store.numbers(1_200));
    expect(all).to.have.length(1_200);
    expect(all.at(-1)).to.equal(1_199);
    for await (const n of store.numbers(2_000)) if (n === 3) break;
    await store.add(0, 0);
    expect(released).to.equal(2);
    const failed = (async () => {
      for await (const _ of store.numbers(7));
    })();
    expect(((await failed.catch((error: unknown) => error)) as Error).message).to.equal('seven');
  });

  it('calls functions that were passed', async () => {
    const seen: number[] = [];
    expect(await store.count((n) => seen.push(n))).to.equal('done');
    expect(seen).to.deep.equal([0, 1, 2]);
  });

  it('ends a cancelled call there, and here once it ended there', async () => {
    const gone = new AbortController();
    const asking = { signal: gone.signal };
    expect(await store.ask('quick', asking)).to.equal('quick false');
    let isOver = false;
    const hanging = store
      .ask('hang', asking)
      .catch((error: unknown) => error)
      .finally(() => (isOver = true));
    const other = store.ask('other');
    const reason = new Fault('unavailable', 'the client is gone');
    gone.abort(reason);
    expect(await store.given()).to.deep.equal(['hang']);
    expect(isOver).to.equal(false);
    expect(told?.reason).to.be.instanceOf(Fault);
    expect(told?.reason, 'no failure is behind it').to.have.property('cause', undefined);
    end();
    expect(await hanging).to.equal(reason);
    expect(await other).to.equal('other undefined');
    expect(await store.ask('quick', asking).catch((error: unknown) => error)).to.equal(reason);
  });

  it('allows any number of listeners of the cancellation', async () => {
    const asking = { signal: new AbortController().signal };
    const warnings = await warningsDuring(() => store.ask('much', asking));
    expect(warnings).to.deep.equal([]);
  });

  it('throws unavailable when the other side is gone', async () => {
    const waiting = store.slow().catch((error: unknown) => error as Fault);
    channel.port1.close();
    expect(((await waiting) as Fault).code).to.equal('unavailable');
    const later = await store.add(1, 1).catch((error: unknown) => error as Fault);
    expect((later as Fault).code).to.equal('unavailable');
  });
});
