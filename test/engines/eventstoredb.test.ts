import { randomUUID } from 'node:crypto';
import { openEventStore } from '../../engines/eventstoredb/event-log.js';
import { eventLogSuite, logWritingSuite } from '../suites/event-log.js';
import { startEventStoreServer } from '../support/eventstore-server/server.js';
import { temporaryFolder } from '../support/folder.js';
import { isLongRun } from '../support/runs.js';

// A server that lists no features takes other calls for appends, and the same ones for reads.
for (const listsFeatures of [true, false]) {
  const kind = listsFeatures ? 'that lists its features, and scavenges' : 'that does not';
  const suite = listsFeatures || isLongRun ? eventLogSuite : logWritingSuite;
  suite(`an EventStoreDB test server ${kind}`, async () => {
    const { dir, remove } = await temporaryFolder();
    const server = await startEventStoreServer({ dir, listsFeatures });
    let log = await openEventStore({ url: server.url });
    return {
      log,
      reopen: async () => {
        await log.close();
        if (listsFeatures) await server.store.scavenge();
        log = await openEventStore({ url: server.url });
        return log;
      },
      close: async () => {
        await log.close();
        await server.close();
        await remove();
      },
    };
  });
}

const url = process.env['ASSAY_TEST_EVENTSTORE_URL'];
if (url === undefined) {
  process.stdout.write('\nNo real EventStoreDB: ASSAY_TEST_EVENTSTORE_URL names one\n\n');
} else {
  eventLogSuite('the EventStoreDB of ASSAY_TEST_EVENTSTORE_URL', async () => {
    // A log of its own on a server that keeps everything.
    const space = `test_${randomUUID().replaceAll('-', '')}`;
    let log = await openEventStore({ url, space });
    return {
      log,
      reopen: async () => {
        await log.close();
        log = await openEventStore({ url, space });
        return log;
      },
      close: () => log.close(),
    };
  });
}
