import { expect } from 'chai';
import { openRequestAdmission } from '../../engines/koa/load-shedding.js';

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe('request admission', () => {
  const begun = (networks: readonly string[], perTickMax: number) => {
    const order: string[] = [];
    const admit = openRequestAdmission(perTickMax);
    for (const network of networks) admit(network, () => order.push(network));
    return { order, admit };
  };

  it('starts a few requests per event-loop tick, and all in the end', async () => {
    const { order } = begun(Array<string>(5).fill('a'), 2);
    const counts = [order.length];
    for (let turn = 0; turn < 3; turn += 1) {
      await nextTurn();
      counts.push(order.length);
    }
    expect(counts).to.deep.equal([2, 4, 5, 5]);
  });

  it('starts a request at once when there is room again', async () => {
    const { order, admit } = begun(['a', 'a', 'a'], 2);
    await nextTurn();
    await nextTurn();
    admit('b', () => order.push('b'));
    expect(order).to.deep.equal(['a', 'a', 'a', 'b']);
  });

  it('alternates between networks, however many requests one of them sends', async () => {
    const { order, admit } = begun(['a', ...Array<string>(100).fill('a')], 1);
    admit('b', () => order.push('b'));
    admit('c', () => order.push('c'));
    for (let turn = 0; turn < 4; turn += 1) await nextTurn();
    expect(order).to.deep.equal(['a', 'a', 'b', 'c', 'a']);
  });

  it('prefers networks with a recent credential, but leaves strangers one place', async () => {
    const order: string[] = [];
    const admit = openRequestAdmission(2, (network) => network === 'known');
    const take = (network: string) => admit(network, () => order.push(network));
    for (let n = 0; n < 20; n += 1) take(`stranger ${n}`);
    for (let n = 0; n < 3; n += 1) take('known');
    for (let turn = 0; turn < 3; turn += 1) await nextTurn();
    expect(order.slice(2)).to.deep.equal([
      'known',
      'stranger 2',
      'known',
      'stranger 3',
      'known',
      'stranger 4',
    ]);
  });
});
