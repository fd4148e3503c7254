import { open, rm } from 'node:fs/promises';
import { deserialize, serialize } from 'node:v8';

/** Values on disk, first in, first out; one call at a time. */
export type Spool<T> = {
  readonly put: (value: T) => Promise<void>;
  /** Null: there is none. */
  readonly take: () => Promise<T | null>;
  readonly close: () => Promise<void>;
};

/** The file has no name once it is open, so nothing of it outlives the process. */
export const openSpool = async <T>(path: string): Promise<Spool<T>> => {
  const file = await open(path, 'w+', 0o600);
  await rm(path);
  const waiting: { readonly at: number; readonly bytes: number }[] = [];
  let end = 0;
  return {
    put: async (value) => {
      const bytes = serialize(value);
      await file.write(bytes, 0, bytes.length, end);
      waiting.push({ at: end, bytes: bytes.length });
      end += bytes.length;
    },
    take: async () => {
      const next = waiting.shift();
      if (next === undefined) return null;
      const bytes = Buffer.alloc(next.bytes);
      await file.read(bytes, 0, next.bytes, next.at);
      if (waiting.length === 0) {
        await file.truncate(0);
        end = 0;
      }
      return deserialize(bytes) as T;
    },
    close: () => file.close(),
  };
};
