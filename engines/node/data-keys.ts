import type { Files } from '../../kernel/ports.js';
import type { DataKeys, WrappedDataKey } from '../../kernel/vault.js';

/**
 * Data keys in one file of the data folder, readable by its owner only; each change writes it
 * whole. The key that wraps them is not in it.
 */
export const openDataKeys = (files: Files, path: string): DataKeys => {
  let last: Promise<unknown> = Promise.resolve();
  const all = async (): Promise<readonly WrappedDataKey[]> => {
    const bytes = await files.read(path);
    if (bytes === null) return [];
    const { keys } = JSON.parse(Buffer.from(bytes).toString('utf8')) as {
      readonly keys: readonly WrappedDataKey[];
    };
    return keys;
  };
  return {
    all,
    change: (step) => {
      const changed = last.then(async () => {
        const before = await all();
        const after = step(before);
        if (after !== before) {
          await files.write(path, Buffer.from(`${JSON.stringify({ keys: after }, null, 2)}\n`));
        }
        return after;
      });
      last = changed.catch(() => null);
      return changed;
    },
  };
};
