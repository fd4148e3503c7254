import { openMutex } from '../../kernel/concurrency.js';
import type { DataKeyStore, WrappedDataKey } from '../../kernel/vault.js';
import { mapDriverErrors, connect } from './connect.js';

type Stored = Omit<WrappedDataKey, 'id'> & { readonly _id: string };

/**
 * Data keys that several processes share, a document each, journalled on a majority. Unlike read
 * models it cannot be rebuilt: back up this collection, and apart from the log, whose copies must
 * not be able to open what a destroyed key sealed. The wrapping key is not stored here.
 */
export const openMongoDataKeys = async ({
  url,
}: {
  readonly url: string;
}): Promise<DataKeyStore> => {
  const { db, close } = await connect(url);
  const stored = db.collection<Stored>('data_keys');
  const all = (): Promise<readonly WrappedDataKey[]> =>
    mapDriverErrors(async () => {
      const found = await stored.find().sort({ created_at: 1, _id: 1 }).toArray();
      return found.map(({ _id, ...key }) => ({ ...key, id: _id as WrappedDataKey['id'] }));
    });
  const inSequence = openMutex();
  return {
    all,
    update: (step) =>
      inSequence(async () => {
        const before = await all();
        const after = step(before);
        await mapDriverErrors(async () => {
          // Inserts come before deletions.
          for (const key of after.filter((one) => !before.includes(one))) {
            const { id, ...rest } = key;
            await stored.replaceOne({ _id: { $eq: id } }, rest, { upsert: true });
          }
          const kept = new Set(after.map(({ id }) => id));
          const gone = before.filter(({ id }) => !kept.has(id)).map(({ id }) => id as string);
          if (gone.length > 0) await stored.deleteMany({ _id: { $in: gone } });
        });
        return after;
      }),
    close,
  };
};
