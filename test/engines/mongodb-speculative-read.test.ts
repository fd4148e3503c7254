import { expect } from 'chai';
import type { Collection } from 'mongodb';
import { openSpeculativeRead, type SnapshotRows } from '../../engines/mongodb/speculative-read.js';
import type { Snapshot } from '../../engines/mongodb/snapshot.js';
import { logStart } from '../../kernel/ports.js';

const rows = {} as Collection;
const at = (seq: number, generation = 'g'): Snapshot => ({
  rows,
  visible: { from: { $lte: seq } },
  position: logStart,
  generation,
  seq,
});

/** Each look ends when told how the model is; whoever asks is told what their question went by. */
const asked = () => {
  const looks: ((found: Snapshot | null) => void)[] = [];
  const put: SnapshotRows['visible'][] = [];
  let changes = 0;
  const ask = openSpeculativeRead(
    () => new Promise((resolve) => looks.push(resolve)),
    () => changes,
  );
  const question = ({ visible }: SnapshotRows): Promise<unknown> => {
    put.push(visible);
    return Promise.resolve(visible);
  };
  return {
    ask,
    put,
    question,
    look: (found: Snapshot | null) => looks.shift()?.(found),
    change: () => (changes += 1),
  };
};

/** A model that two looks have found the same. */
const still = async () => {
  const model = asked();
  for (let time = 0; time < 2; time += 1) {
    const answer = model.ask(model.question);
    model.look(at(1));
    await answer;
  }
  model.put.length = 0;
  return model;
};

describe('MongoDB speculative read', () => {
  it('waits for the model state during writes', async () => {
    const { ask, put, question, look } = asked();
    for (const seq of [1, 2, 3]) {
      const answer = ask(question);
      expect(put).to.have.length(seq - 1);
      look(at(seq));
      expect(await answer).to.deep.equal(at(seq).visible);
    }
  });

  it('runs beside the state read, once, while nothing is written', async () => {
    const { ask, put, question, look } = await still();
    const answer = ask(question);
    expect(put).to.deep.equal([at(1).visible]);
    look(at(1));
    expect(await answer).to.deep.equal(at(1).visible);
    expect(put).to.have.length(1);
  });

  for (const [what, found] of [
    ['written', at(2)],
    ['rebuilt', at(1, 'h')],
  ] as const) {
    it(`repeats on a model that was ${what} meanwhile, whatever the first result`, async () => {
      const { ask, put, look } = await still();
      const answer = ask(({ visible }) => {
        put.push(visible);
        return put.length === 1 ? Promise.reject(new Error('dropped')) : Promise.resolve('now');
      });
      look(found);
      expect(await answer).to.equal('now');
      expect(put).to.deep.equal([at(1).visible, found.visible]);
    });
  }

  it('repeats after a failover', async () => {
    const { ask, put, question, look, change } = await still();
    const answer = ask(question);
    change();
    look(at(1));
    await answer;
    expect(put).to.have.length(2);
    // What that one shows has been seen by now.
    const next = ask(question);
    expect(put).to.have.length(3);
    look(at(1));
    await next;
    change();
    const late = ask(question);
    expect(put).to.have.length(3);
    look(at(1));
    await late;
    expect(put).to.have.length(4);
  });

  it('rejects with the first error if the model is unchanged', async () => {
    const { ask, look } = await still();
    const answer = ask(() => Promise.reject(new Error('no answer'))).catch(String);
    look(at(1));
    expect(await answer).to.equal('Error: no answer');
  });

  it('returns null for a missing model', async () => {
    const { ask, put, question, look } = await still();
    const answer = ask(question);
    look(null);
    expect(await answer).to.equal(null);
    const again = ask(question);
    look(null);
    expect(await again).to.equal(null);
    expect(put).to.have.length(1);
  });
});
