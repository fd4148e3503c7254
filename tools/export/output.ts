import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, open, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { syncFolder } from '../../engines/node/files.js';
import { Fault } from '../../kernel/fault.js';

/**
 * Writes all chunks: to standard output for null, else to a file, atomically: it has its name only
 * once it is complete and on the disk. A name that ends with `.gz` is compressed.
 */
export const writeOutput = async (
  path: string | null,
  chunks: AsyncIterable<string | Uint8Array>,
): Promise<void> => {
  if (path === null) {
    await pipeline(Readable.from(chunks), process.stdout, { end: false }).catch(ignoreClosedPipe);
    return;
  }
  const beside = `${path}.new`;
  try {
    const file = createWriteStream(beside, { mode: 0o600, flush: true });
    if (path.endsWith('.gz')) await pipeline(Readable.from(chunks), createGzip(), file);
    else await pipeline(Readable.from(chunks), file);
    await rename(beside, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(beside, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'EACCES') throw error;
    throw new Fault('invalid', `${path} cannot be written: its folder is missing, or not yours`, {
      cause: error,
    });
  }
};

/** Reports a closed pipe (`assay export … | head`) as an incomplete export. */
const ignoreClosedPipe = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'EPIPE') throw error;
  throw new Fault('unavailable', 'the reader closed the output: it is incomplete');
};

type LineSpool = {
  readonly count: number;
  readonly lines: () => AsyncIterable<string>;
  readonly remove: () => Promise<void>;
};

/** Keeps lines in a temporary file instead of memory. */
export const spoolLines = async (lines: AsyncIterable<string>): Promise<LineSpool> => {
  const dir = await mkdtemp(join(tmpdir(), 'assay-export-'));
  const path = join(dir, 'lines');
  const remove = () => rm(dir, { recursive: true, force: true });
  try {
    let count = 0;
    const file = await open(path, 'w', 0o600);
    try {
      for await (const line of lines) {
        await file.appendFile(`${line}\n`);
        count += 1;
      }
    } finally {
      await file.close();
    }
    return { count, lines: () => createInterface({ input: createReadStream(path) }), remove };
  } catch (error) {
    await remove();
    throw error;
  }
};
