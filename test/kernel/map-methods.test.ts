import { expect } from 'chai';
import { Fault } from '../../kernel/fault.js';
import { mapMethods, overridePort, refusingPort, wrapMethods } from '../../kernel/map-methods.js';
import type { QueryContext } from '../../kernel/ports.js';
import type { QueryTable } from '../../kernel/query-methods.js';

interface Store {
  add(one: number, other: number): Promise<number>;
  list(): Promise<readonly string[]>;
  numbers(to: number): AsyncIterable<number>;
  size(): number;
}
const storeOf = (factor: number): Store => ({
  add: async (one, other) => factor * (one + other),
  list: async () => [],
  numbers: async function* numbers(to) {
    for (let n = 0; n < to; n += 1) yield n;
  },
  size: () => 0,
});

describe('mapMethods', () => {
  it('runs the named methods and each step of a stream within the wrapper', async () => {
    const calls: unknown[] = [];
    const port = mapMethods(
      storeOf(1),
      ['add'],
      (call, { name, values }) => (calls.push([name, ...values]), call()),
      ['numbers'],
    );
    expect(await port.add(1, 2)).to.equal(3);
    expect(await port.list()).to.deep.equal([]);
    expect(await Array.fromAsync(port.numbers(2))).to.deep.equal([0, 1]);
    const step = ['numbers', 2];
    expect(calls).to.deep.equal([['add', 1, 2], step, step, step]);
  });

  it('passes other values, or the call to another port', async () => {
    const first = storeOf(1);
    const wrapped = wrapMethods(first, ['add', 'list'], (call, { values: [one] }) =>
      one === 0 ? call([7, 7]) : call(undefined, storeOf(10)),
    );
    expect(await wrapped.add(0, 1)).to.equal(14);
    expect(await wrapped.add(1, 1)).to.equal(20);
    expect(Object.keys(wrapped)).to.deep.equal(['add', 'list']);
  });

  it('wraps ports whose methods cannot be listed, and keeps what is not replaced', async () => {
    const thread = new Proxy({} as Store, { get: (_, name) => async () => [name] });
    const wrapped = mapMethods(thread, ['list'], (call) => call());
    const port = overridePort(wrapped, { size: () => 9 });
    expect([await port.list(), port.size()]).to.deep.equal([['list'], 9]);
  });

  it('refuses every call but those of the members it is given', async () => {
    const port = await Promise.resolve(refusingPort<Store>('not here', { size: () => 3 }));
    const refused = await port.list().catch((error: unknown) => error);
    expect([refused, port.size()]).to.deep.equal([new Fault('unavailable', 'not here'), 3]);
  });

  it('refuses unknown names and names of other kinds at compile time', () => {
    const port = storeOf(1);
    // @ts-expect-error: the port does not have it.
    mapMethods(port, ['ad'], (call) => call());
    // @ts-expect-error: it does not return a promise.
    mapMethods(port, ['size'], (call) => call());
    // @ts-expect-error: it does not return an iterable.
    mapMethods(port, ['add'], (call) => call(), ['list']);
    interface Queries {
      find(plan: { readonly project: string }, context?: QueryContext): Promise<number>;
      load(project: string, id: string, context?: QueryContext): Promise<number>;
    }
    const find = { kind: 'scan', contextAt: 1 } as const;
    // @ts-expect-error: `load` is missing.
    void ({ find } satisfies QueryTable<Queries>);
    // @ts-expect-error: the context of `load` is at 2.
    void ({ find, load: { kind: 'lookup', contextAt: 1 } } satisfies QueryTable<Queries>);
    void ({ find, load: { kind: 'lookup', contextAt: 2 } } satisfies QueryTable<Queries>);
    expect(port.size()).to.equal(0);
  });
});
