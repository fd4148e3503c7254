import { readFile } from 'node:fs/promises';
import { Fault } from '../../kernel/fault.js';
import { parseStubScript } from './script.js';
import { startModelStub } from './server.js';

/** Runs the stub until the process is told to end. Throws Fault `invalid` for its options. */
export const runModelStub = async (
  port: number,
  file: string | null,
  out: Pick<NodeJS.WriteStream, 'write'>,
): Promise<void> => {
  if (port > 65_535) throw new Fault('invalid', `--port takes 0 to 65535, not '${port}'`);
  const script = file === null ? undefined : parseStubScript(await readFile(file, 'utf8'));
  const ended = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  const stub = await startModelStub(script, port);
  out.write(`The stub listens on ${stub.url}; Ctrl-C ends it.\n`);
  await ended;
  await stub.close();
};
