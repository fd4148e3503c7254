import { writeBundle } from '../../ledger/audit/bundle.js';
import { openHistoryReader } from '../../ledger/reader.js';
import { logSource } from '../../ledger/audit/sources.js';

// An export in a process of its own, to be killed: FOLDER CHAIN OUT. Small parts, so that it takes
// little to be between two of them.
const [, , dataDir = '', chain = '', dir = ''] = process.argv;
const engines = { dataDir, eventStoreUrl: null, mongodbUrl: null, natsUrl: null };
const nothingElse = { projectId: null, resource: null, from: null, to: null };
const source = logSource(await openHistoryReader(engines), { chain, ...nothingElse }, true);
await writeBundle(source, {
  dir,
  gzip: false,
  by: 'a test',
  now: () => '2026-03-01T09:00:00.000000Z',
  asked: { chain },
  partEntries: 512,
  progress: () => undefined,
});
await source.close();
