import { expect } from 'chai';
import { openStateCache } from '../../command-api/facts/state-cache.js';
import { openBus } from '../../engines/memory/bus.js';
import { openEventLog } from '../../engines/sqlite/event-log.js';
import { openEventStore } from '../../engines/eventstoredb/event-log.js';
import type { Fold } from '../../kernel/decision.js';
import type { Event, EventLog } from '../../kernel/ports.js';
import { countingReads } from '../support/counting-reads.js';
import { startEventStoreServer } from '../support/eventstore-server/server.js';
import { temporaryFolder } from '../support/folder.js';
import { appendOf, newEvent, newStream } from '../support/new-events.js';

type Opened = { readonly log: EventLog; readonly close: () => Promise<void> };
const engines: Readonly<Record<string, () => Promise<Opened>>> = {
  SQLite: async () => {
    const { dir, remove } = await temporaryFolder();
    const log = await openEventLog({ dir, bus: openBus(dir) });
    return { log, close: () => log.close().then(remove) };
  },
  'an EventStoreDB test server': async () => {
    const { dir, remove } = await temporaryFolder();
    const server = await startEventStoreServer({ dir });
    const log = await openEventStore({ url: server.url });
    const close = async (): Promise<void> => {
      await log.close();
      await server.close();
      await remove();
    };
    return { log, close };
  },
};

const numbers: Fold<readonly unknown[], Event> = {
  initial: [],
  evolve: (all, { data }) => [...all, data],
};

for (const [name, open] of Object.entries(engines)) {
  describe(`state cache over a log on ${name}`, () => {
    let opened: Opened;
    let counted: ReturnType<typeof countingReads>;
    before(async () => {
      opened = await open();
      counted = countingReads(opened.log);
    });
    after(() => opened.close());
    const append = (stream: ReturnType<typeof newStream>, at: number, type = 'One') =>
      opened.log.append([appendOf(stream, at === 0 ? 'none' : at - 1, { ...newEvent(at), type })]);

    it('reads only new events, once for concurrent loads, and drops erased streams', async () => {
      const { log } = counted;
      const { load } = openStateCache({ log, fold: numbers, weightOf: () => 1, weightMax: 10_000 });
      const stream = newStream();
      expect(await load(stream)).to.include({ revision: 'none' });
      for (let at = 0; at < 5; at += 1) await append(stream, at);
      const before = counted.events();
      await Promise.all(Array.from({ length: 10 }, () => load(stream)));
      expect(counted.events() - before).to.equal(5);
      await append(stream, 5);
      const now = await load(stream);
      expect(counted.events() - before).to.equal(6);
      expect(now).to.deep.include({ state: [0, 1, 2, 3, 4, 5], revision: 5 });
      await opened.log.erase(stream);
      expect(await load(stream)).to.deep.include({ state: [], revision: 'none' });
    });

    it('returns the position of the last event even of a skipped type', async () => {
      const { log } = counted;
      const types = ['One'];
      const given = { log, fold: numbers, types, weightOf: () => 1, weightMax: 10_000 };
      const { load } = openStateCache(given);
      const stream = newStream();
      await append(stream, 0);
      await append(stream, 1, 'Other');
      expect(await load(stream)).to.deep.include({ state: [0], revision: 1 });
      await append(stream, 2, 'Other');
      await append(stream, 3);
      const { position } = (await log.last(stream)) ?? {};
      expect(await load(stream)).to.deep.equal({ state: [0, 3], revision: 3, position });
    });

    it('evicts beyond its weight limit', async () => {
      const { log } = counted;
      const { load } = openStateCache({
        log,
        fold: numbers,
        weightOf: () => 600,
        weightMax: 1_000,
      });
      const [one, other] = [newStream(), newStream()];
      await append(one, 0);
      await append(other, 0);
      const before = counted.events();
      for (const stream of [one, one, other, other, one]) await load(stream);
      expect(counted.events() - before).to.equal(3);
    });
  });
}
