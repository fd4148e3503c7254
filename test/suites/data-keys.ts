import { expect } from 'chai';
import type { DataKeyStore, WrappedDataKey } from '../../kernel/vault.js';
import { uuid } from '../support/recorded-project.js';

type Opened = {
  readonly keys: DataKeyStore;
  /** The same keys opened by another process. */
  readonly another: () => Promise<DataKeyStore>;
  readonly close: () => Promise<void>;
};

const key = (number: number, more: Partial<WrappedDataKey> = {}): WrappedDataKey => ({
  id: uuid(number) as WrappedDataKey['id'],
  organization_id: 'organization',
  created_at: `2026-01-01T00:00:00.00000${number}Z` as WrappedDataKey['created_at'],
  replaced_at: null,
  iv: 'iv',
  ciphertext: 'ciphertext',
  tag: 'tag',
  ...more,
});

/** Suite of the stores of data keys (kernel/vault.ts). */
export const dataKeysSuite = (engine: string, open: () => Promise<Opened>): void => {
  describe(`data keys on ${engine}`, () => {
    let store: Opened;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    it('begin empty and list added keys oldest first, for other processes too', async () => {
      expect(await store.keys.all()).to.deep.equal([]);
      await store.keys.update(() => [key(2)]);
      expect(await store.keys.update((keys) => [...keys, key(1)])).to.have.length(2);
      const another = await store.another();
      expect(await another.all()).to.deep.equal([key(1), key(2)]);
      await another.close();
    });

    it('are changed and destroyed in one step, and the others stay', async () => {
      await store.keys.update(() => [key(1), key(2), key(3)]);
      const replaced = key(2, { replaced_at: key(3).created_at });
      await store.keys.update((keys) =>
        keys.filter(({ id }) => id !== uuid(1)).map((one) => (one.id === uuid(2) ? replaced : one)),
      );
      expect(await store.keys.all()).to.deep.equal([replaced, key(3)]);
    });

    it('are changed in sequence: no step of a process loses another', async () => {
      await Promise.all(
        [1, 2, 3, 4, 5].map((number) => store.keys.update((keys) => [...keys, key(number)])),
      );
      expect(await store.keys.all()).to.have.length(5);
    });

    it('keep keys that another process adds during a step unaware of them', async () => {
      const another = await store.another();
      await store.keys.update(() => [key(1)]);
      await Promise.all([
        store.keys.update((keys) => [...keys, key(2)]),
        another.update((keys) => [...keys, key(3)]),
      ]);
      expect((await store.keys.all()).map(({ id }) => id)).to.deep.equal([1, 2, 3].map(uuid));
      await another.close();
    });
  });
};
