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

describe('a question to a model on MongoDB', () => {
  it('waits for the look at how the model is while it may be written', async () => {
    const { ask, put, question, look } = asked();
    for (const seq of [1, 2, 3]) {
      const answer = ask(question);
      expect(put).to.have.length(seq - 1);
      look(at(seq));
      expect(await answer).to.deep.equal(at(seq).visible);
    }
  });

  it('goes along with the look while nothing is written, and is put once', async () => {
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
    it(`is put again to a model that was ${what} meanwhile, whatever came of it`, async () => {
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

  it('is put again when another server leads since', async () => {
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

  it('fails as it failed where the model is the same', async () => {
    const { ask, look } = await still();
    const answer = ask(() => Promise.reject(new Error('no answer'))).catch(String);
    look(at(1));
    expect(await answer).to.equal('Error: no answer');
  });

  it('is nothing to a model that is not there', async () => {
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
