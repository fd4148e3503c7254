import { once } from 'node:events';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { serveCalls } from '../engines/node/thread-rpc.js';
import { openTimeSlices } from '../engines/node/event-loop-share.js';
import { systemClock } from '../engines/node/clock.js';
import { sha256 } from '../engines/node/digest.js';
import { openEngines, warmRecords, type EngineChoice } from '../engines/open.js';
import { decode } from '../events/codec.js';
import { Fault } from '../kernel/fault.js';
import { queryNames } from '../kernel/query-methods.js';
import type { Partition } from '../kernel/records/partitions.js';
import { recordQueries } from '../kernel/records/record-queries.js';
import { tracedPort } from '../kernel/tracing.js';
import { projections } from '../projections/projection-registry.js';
import { documentsReadModel } from '../projections/documents-model.js';
import { historyReadModel } from '../ledger/model.js';
import { openProjector } from '../projections/projector.js';
import { partitionStateCollection } from '../projections/parking.js';
import { recordsCollection } from '../projections/records/collection.js';
import { recordsReadModel } from '../projections/records/model.js';
import { groupRowsFromLog } from '../projections/records/trace-reads.js';
import type { WarmsRecords } from './read-side-thread.js';
import { openServiceTracing, tracedReadModel } from './tracing.js';
import { answerQueries, recordAnswers } from '../query-api/records/answers.js';

/**
 * Read models folded here: all; a replica's records; a partition of the records; or all but
 * records.
 */
export type FoldedModels = 'all' | 'records' | 'lists' | Partition;

export type ReadSideStart = {
  readonly choice: EngineChoice;
  readonly models: FoldedModels;
  /** Namespace of notifications; null: inside this process only. */
  readonly notificationSpace: string | null;
  readonly records: MessagePort;
  readonly answers: MessagePort;
  readonly projector: MessagePort;
};

if (parentPort === null) throw new Error('this file runs as a worker thread only');
const main = parentPort;
const warmed = (workerData as WarmsRecords) ? warmRecords() : null;
const [start] = (await once(main, 'message')) as [ReadSideStart | 'end'];
if (start === 'end') {
  // A thread that ends while a native module is loading aborts the process.
  await warmed;
  process.exit(0);
}
const { models: folded } = start;
const partition = typeof folded === 'string' ? null : folded;
const engines = await openEngines(start.choice);
const tracing = await openServiceTracing(start.choice.isTraced === true);
const bus = await engines.bus(start.notificationSpace);
const reader = await engines.reader(bus);
const documents = await engines.documents('write', (broken) => main.postMessage({ broken }));
// The handler is passed at opening: a file may be lost before `following`.
const records =
  folded === 'lists'
    ? null
    : await engines.records({
        notice: (incident) => main.postMessage(incident),
        ...(partition !== null && { part: partition.index }),
      });
const { freshAs } = engines.ports.records;
const lists = projections.map((projection) => documentsReadModel(documents, projection));
const hasLists = folded === 'all' || folded === 'lists';
const projector = await openProjector({
  reader,
  decode,
  // Schema compilers take a fifth of a second to load, and few processes need them.
  checkedDecode: async () => (await import('../events/schema-conformance.js')).decodeChecked,
  documents,
  records,
  ...(partition !== null && { state: partitionStateCollection(partition) }),
  bus,
  clock: systemClock,
  onLogReplaced: (models) => main.postMessage({ exchanged: models }),
  // The thread ends; the process acquires the lease again and folds under a new fence.
  onFenced: () => {
    setImmediate(() => {
      throw new Fault('conflict', 'another projector has taken over');
    });
  },
  readModels: [
    ...(hasLists ? lists : []),
    ...(records === null ? [] : [recordsReadModel(records, { partition, freshAs })]),
    ...(hasLists ? [historyReadModel(documents, sha256)] : []),
  ].map((readModel) => tracedReadModel(tracing, readModel)),
});
if (records !== null) {
  const groupRows = groupRowsFromLog({
    records,
    reader,
    decode,
    followsLog: (stream) => projector.followsLog(recordsCollection.name, stream),
  });
  const source = engines.ports.eventLog.isRemote ? records : { ...records, groupRows };
  const answers = recordAnswers({ records: source, inSlices: openTimeSlices() });
  serveCalls(start.records, tracedPort(tracing, 'engine', records, queryNames(recordQueries)));
  serveCalls(start.answers, tracedPort(tracing, 'engine', answers, queryNames(answerQueries)));
}
serveCalls(start.projector, projector);

main.once('message', () => {
  void (async () => {
    start.records.close();
    start.answers.close();
    start.projector.close();
    await records?.close();
    await documents.close();
    await reader.close();
    await bus.close();
    await tracing.close();
    main.close();
  })();
});
main.postMessage('following');
