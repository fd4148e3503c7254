import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { serve } from '../engines/node/thread.js';
import { systemClock } from '../engines/node/clock.js';
import { openFolder } from '../engines/open.js';
import { decode } from '../events/codec.js';
import { projections } from '../projections/all.js';
import { documentsSource } from '../projections/documents-source.js';
import { openProjector } from '../projections/operate.js';
import { recordsSource } from '../projections/records/source.js';

export type ReadSideStart = {
  readonly dir: string;
  readonly records: MessagePort;
  readonly projector: MessagePort;
};

const start = workerData as ReadSideStart;
const folder = await openFolder(start.dir);
const bus = folder.bus();
const reader = await folder.reader(bus);
const documents = await folder.documents('write');
const records = await folder.records();
const projector = await openProjector({
  reader,
  decode,
  documents,
  bus,
  clock: systemClock,
  sources: [
    ...projections.map((projection) => documentsSource(documents, projection)),
    recordsSource(records),
  ],
});
serve(start.records, records);
serve(start.projector, projector);

parentPort?.once('message', () => {
  void (async () => {
    start.records.close();
    start.projector.close();
    await records.close();
    await documents.close();
    await reader.close();
    await bus.close();
    parentPort?.close();
  })();
});
parentPort?.postMessage('following');
