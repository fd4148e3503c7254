import { open, rm } from 'node:fs/promises';
import { deserialize, serialize } from 'node:v8';

/** FIFO queue of values on disk; one call at a time. */
export type Spool<T> = {
  readonly put: (value: T) => Promise<void>;
  /** The oldest value; null if empty. */
  readonly take: () => Promise<T | null>;
  readonly close: () => Promise<void>;
};

/** Opens the spool. Its file is unlinked once open, so it does not outlive the process. */
export const openSpool = async <T>(path: string): Promise<Spool<T>> => {
  const file = await open(path, 'w+', 0o600);
  await rm(path);
  const waiting: { readonly at: number; readonly bytes: number }[] = [];
  let end = 0;
  return {
    put: async (value) => {
      const bytes = serialize(value);
      await transferAll(bytes, async (from) => {
        const { bytesWritten } = await file.write(bytes, from, bytes.length - from, end + from);
        return bytesWritten;
      });
      waiting.push({ at: end, bytes: bytes.length });
      end += bytes.length;
    },
    take: async () => {
      const next = waiting.shift();
      if (next === undefined) return null;
      const bytes = Buffer.alloc(next.bytes);
      await transferAll(bytes, async (from) => {
        const { bytesRead } = await file.read(bytes, from, next.bytes - from, next.at + from);
        return bytesRead;
      });
      if (waiting.length === 0) {
        await file.truncate(0);
        end = 0;
      }
      return deserialize(bytes) as T;
    },
    close: () => file.close(),
  };
};

/** Repeats partial reads or writes until all bytes are transferred, as on a full disk. */
const transferAll = async (
  bytes: Buffer,
  part: (from: number) => Promise<number>,
): Promise<void> => {
  for (let from = 0; from < bytes.length;) {
    const count = await part(from);
    if (count === 0) throw new RangeError('The spool file is truncated');
    from += count;
  }
};
