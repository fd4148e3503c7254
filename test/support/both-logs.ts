import { openEventStore } from '../../engines/eventstoredb/event-log.js';
import { openBus } from '../../engines/memory/bus.js';
import { openEventLog } from '../../engines/sqlite/event-log.js';
import type { EventLog } from '../../kernel/ports.js';
import { startEventStoreServer } from './eventstore-server/server.js';
import { temporaryFolder } from './folder.js';

export type TestEventLog = { readonly log: EventLog; readonly close: () => Promise<void> };

const sqlite = async (): Promise<TestEventLog> => {
  const { dir, remove } = await temporaryFolder();
  const bus = openBus(dir);
  const log = await openEventLog({ dir, bus });
  const close = async (): Promise<void> => {
    await log.close();
    await bus.close();
    await remove();
  };
  return { log, close };
};

const eventStore = async (): Promise<TestEventLog> => {
  const { dir, remove } = await temporaryFolder();
  const server = await startEventStoreServer({ dir });
  const log = await openEventStore({ url: server.url });
  const close = async (): Promise<void> => {
    await log.close();
    await server.close();
    await remove();
  };
  return { log, close };
};

/** An empty log of each engine, as stored. */
export const bothLogs = [
  ['SQLite', sqlite],
  ['an EventStoreDB test server', eventStore],
] as const;
