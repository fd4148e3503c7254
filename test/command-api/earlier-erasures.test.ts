import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { expect } from 'chai';
import { systemClock } from '../../engines/node/clock.js';
import { openEventStore } from '../../engines/eventstoredb/event-log.js';
import { sha256 } from '../../engines/node/digest.js';
import { decode } from '../../events/codec.js';
import { systemChain } from '../../ledger/chain/entries.js';
import { streamNameOf, type EventLog, type StreamName } from '../../kernel/ports.js';
import { appendEvents, type Authorship } from '../../kernel/transact.js';
import { historyVerification } from '../../ledger/reads/verification.js';
import { startEventStoreServer } from '../support/eventstore-server/server.js';
import { temporaryFolder } from '../support/folder.js';
import { authorAt, remoteTestLog, testLog } from '../support/test-log.js';
import { referenceChains } from '../support/reference-chains.js';
import { uuid } from '../support/record-generators.js';
import { acme, openSealFixture, workerOn, type SealFixture } from '../support/seal-fixture.js';
import { pollUntil } from '../support/poll-until.js';

const project = uuid(1, 1);
const traceAt = (number: number): StreamName => streamNameOf('trace', project, uuid(2, number));
const logged = async (
  log: EventLog,
  numbers: readonly number[],
  whose: Pick<Authorship, 'organizationId'> = { organizationId: acme },
): Promise<readonly StreamName[]> => {
  const names = numbers.map(traceAt);
  for (const name of names) {
    const event = { type: 'ProjectDeleted', data: { project_id: name } };
    await appendEvents(log, [{ stream: name, events: [event] }], { ...authorAt(), ...whose });
  }
  return names;
};
const verdictOn = async (log: EventLog, chain: string = acme) => {
  const ask = historyVerification({
    log,
    chains: referenceChains(log),
    clock: systemClock,
    sha256,
  });
  const { signal } = new AbortController();
  const { status, erased, broken_at: broken } = await ask(chain, { from: 1, to: null }, signal);
  return [status, erased, broken?.reason ?? null, broken?.expected ?? null];
};
const namedIn = async ({ testLog: made }: SealFixture) =>
  (await made.eventsOf(streamNameOf('erasure', 'earlier', project))).map(({ data }) => data);

const logs = { SQLite: testLog, EventStoreDB: remoteTestLog };
for (const [engine, open] of Object.entries(logs)) {
  describe(`erasures from before they left facts, on ${engine}`, () => {
    let at: SealFixture;
    beforeEach(async () => {
      at = await openSealFixture(open);
    });
    afterEach(() => at.testLog.close());

    it('are named once, when a service that requires facts seals the log', async () => {
      const [one, two = '', three, four] = await logged(at.testLog.log, [1, 2, 3, 4]);
      const [unsaid] = await logged(at.testLog.log, [5], { organizationId: undefined });
      const gone = [one, three, unsaid] as readonly StreamName[];
      for (const name of gone) await at.testLog.log.erase(name);
      expect(await verdictOn(at.testLog.log)).to.deep.equal(['broken', 0, 'erased', one]);
      expect(await at.worker().later(3_600)).to.be.greaterThan(0);
      expect(await verdictOn(at.testLog.log)).to.deep.equal(['intact', 2, null, null]);
      expect(await verdictOn(at.testLog.log, systemChain)).to.deep.equal(['intact', 1, null, null]);
      const of = { deleted: 'earlier', deleted_id: project, project_id: project };
      expect(await namedIn(at)).to.deep.equal([
        { ...of, streams: [one, three] },
        { ...of, streams: [unsaid] },
      ]);
      expect(await at.testLog.eventsOf(streamNameOf('seals', 'system', 'erasures'))).to.deep.equal([
        { type: 'EarlierErasuresNamed', data: { streams: 3 } },
      ]);
      // Whoever takes something now finds no amnesty, however often the service starts.
      await at.testLog.log.erase(four as StreamName);
      await at.worker().later(7_200);
      expect(await verdictOn(at.testLog.log)).to.deep.equal(['broken', 2, 'erased', four]);
      expect(await namedIn(at)).to.have.length(2);
      expect(await at.testLog.log.last(two as StreamName)).to.not.equal(null);
    });

    it('are not named twice, nor those with a fact, nor rows of datasets', async () => {
      const [one, two] = await logged(at.testLog.log, [1, 2]);
      const rows = streamNameOf('datasetrows', uuid(3, 1), uuid(3, 2));
      const event = { type: 'ProjectDeleted', data: {} };
      const author = { ...authorAt(), organizationId: acme };
      await appendEvents(at.testLog.log, [{ stream: rows, events: [event] }], author);
      const data = { streams: [one] };
      const fact = { type: 'StreamsErased', data };
      const erasure = streamNameOf('erasure', uuid(1, 2));
      await appendEvents(at.testLog.log, [{ stream: erasure, events: [fact] }], author);
      for (const name of [one, two, rows]) await at.testLog.log.erase(name as StreamName);
      await at.worker().later(3_600);
      expect((await namedIn(at)).flatMap((said) => (said as typeof data).streams)).to.deep.equal([
        two,
      ]);
      expect(await verdictOn(at.testLog.log)).to.deep.equal(['broken', 2, 'erased', rows]);
    });

    it('are marked as migrated in a log without any', async () => {
      await at.appendEvents(2);
      await at.worker().later(3_600);
      await logged(at.testLog.log, [1]);
      await at.testLog.log.erase(traceAt(1));
      await at.worker().later(7_200);
      expect(await verdictOn(at.testLog.log)).to.deep.equal(['broken', 0, 'erased', traceAt(1)]);
    });
  });
}

describe('streams that EventStoreDB erased before it kept envelopes', () => {
  it('verify, also after a scavenge, once the new service has sealed', async () => {
    const { dir, remove } = await temporaryFolder();
    const server = await startEventStoreServer({ dir });
    const before = await openEventStore({ url: server.url, decode });
    const old = EventStoreDBClient.connectionString(server.url);
    try {
      const [one = '', two = ''] = await logged(before, [1, 2, 3]);
      await before.close();
      const data = { streams: [one, two] };
      await old.appendToStream('assay:erased', jsonEvent({ type: 'StreamsErased', data }));
      for (const name of data.streams) await old.tombstoneStream(`assay.${name}`);
      const log = await openEventStore({ url: server.url, decode });
      expect(await verdictOn(log)).to.deep.equal(['broken', 0, 'erased', one]);
      await workerOn(log, {}).later(3_600);
      await pollUntil('the register says where the envelopes are', 5_000, async () => {
        const entries: unknown[] = [];
        for await (const { event } of old.readStream('assay:erased')) entries.push(event?.data);
        return JSON.stringify(entries.at(-1)).includes('buckets');
      });
      expect(await verdictOn(log)).to.deep.equal(['intact', 2, null, null]);
      await server.store.scavenge();
      expect(await verdictOn(log)).to.deep.equal(['intact', 2, null, null]);
      await log.close();
    } finally {
      await old.dispose();
      await server.close();
      await remove();
    }
  });
});
