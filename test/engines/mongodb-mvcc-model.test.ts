import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { openModelStates } from '../../engines/mongodb/model-state.js';
import { snapshotModel } from '../../engines/mongodb/mvcc-model.js';
import type { Position } from '../../kernel/ports.js';
import { dropDatabase, withMongo } from '../support/with-mongo.js';

const checkpointAt = (place: number) => ({
  position: String(place).padStart(16, '0') as Position,
  fence: 1,
});

withMongo('a snapshot of a read model in MongoDB', (server) => {
  it('keeps a read result when a batch commits before the reply arrives', async () => {
    const url = server().url();
    const client = await MongoClient.connect(url);
    const states = openModelStates(client.db());
    let replied = (): void => undefined;
    let isHeld = false;
    const find: typeof states.find = async (id) => {
      const found = await states.find(id);
      if (isHeld) await new Promise<void>((resolve) => (replied = resolve));
      return found;
    };
    const model = snapshotModel({ ...states, find }, { name: 'held', label: 'held_v1' }, []);
    await model.apply(checkpointAt(1), async () => undefined);
    isHeld = true;
    const found = states.find('held');
    const snapshot = model.snapshot();
    await found;
    await model.apply(checkpointAt(2), async () => undefined);
    isHeld = false;
    replied();
    expect((await snapshot)?.position).to.equal(checkpointAt(1).position);
    expect((await model.snapshot())?.position).to.equal(checkpointAt(2).position);
    await client.close();
    await dropDatabase(url);
  });
});
