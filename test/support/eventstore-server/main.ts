import { parseArgs } from 'node:util';
import { startEventStoreServer } from './server.js';

// The server as a process of its own, for tests that kill it: `--dir DIR --port PORT`, 0 for a free
// port. Says its port once it listens; ends in order on SIGTERM.
const { values } = parseArgs({
  options: { dir: { type: 'string' }, port: { type: 'string', default: '0' } },
});
if (values.dir === undefined) throw new Error('--dir DIR is needed');
const server = await startEventStoreServer({ dir: values.dir, port: Number(values.port) });
process.stdout.write(`${server.port}\n`);
process.once('SIGTERM', () => {
  server.close().then(
    () => process.exit(0),
    () => process.exit(1),
  );
});
