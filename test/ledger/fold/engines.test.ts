import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { openEventStore } from '../../../engines/eventstoredb/event-log.js';
import { openBus } from '../../../engines/memory/bus.js';
import { openMongoDocuments } from '../../../engines/mongodb/documents.js';
import { sha256 } from '../../../engines/node/digest.js';
import { openDocuments } from '../../../engines/sqlite/documents.js';
import { openEventLog } from '../../../engines/sqlite/event-log.js';
import type { Documents } from '../../../kernel/documents.js';
import type { ChainEntry, ChainPage, ChainQuery } from '../../../ledger/chain/entries.js';
import { toHex } from '../../../kernel/hex.js';
import { merkleRoot } from '../../../ledger/chain/merkle-tree.js';
import { logStart, type EventLog } from '../../../kernel/ports.js';
import type { Instant } from '../../../kernel/schema-types.js';
import { openChainReader } from '../../../ledger/chain-reader.js';
import { historyReadModel } from '../../../ledger/model.js';
import { startEventStoreServer } from '../../support/eventstore-server/server.js';
import { temporaryFolder } from '../../support/folder.js';
import { hasMongo, startMongo, type MongoServer } from '../../support/mongo.js';
import { drawSeed } from '../../support/test-environment.js';
import { uuid } from '../../support/record-generators.js';
import { runs } from '../../support/runs.js';
import { dropDatabase, skipMongo } from '../../support/with-mongo.js';
import { histories, organizations, type History } from './random-histories.js';

type Opened = {
  readonly log: EventLog;
  /** The server's own copy of what was erased goes. */
  readonly scavenge: () => Promise<void>;
  readonly close: () => Promise<void>;
};

const embedded = async (): Promise<Opened> => {
  const { dir, remove } = await temporaryFolder();
  const bus = openBus('history');
  const log = await openEventLog({ dir, bus });
  return {
    log,
    scavenge: async () => undefined,
    close: async () => {
      await log.close();
      await bus.close();
      await remove();
    },
  };
};
const remote = async (): Promise<Opened> => {
  const { dir, remove } = await temporaryFolder();
  const server = await startEventStoreServer({ dir });
  const log = await openEventStore({ url: server.url });
  return {
    log,
    scavenge: () => server.store.scavenge(),
    close: async () => {
      await log.close();
      await server.close();
      await remove();
    },
  };
};

/** Opens a shared server, which this test does not scavenge. */
const real = async (url: string): Promise<Opened> => {
  const log = await openEventStore({ url });
  return { log, scavenge: async () => undefined, close: () => log.close() };
};
const realUrl = process.env['ASSAY_TEST_EVENTSTORE_URL'];

/** The same under ids that nothing had before, where a log has more than this history. */
const anew = (
  drawn: History,
): { readonly history: History; readonly chains: readonly string[] } => {
  const middle = randomUUID().slice(8, 24);
  const renamed = <T>(value: T): T =>
    JSON.parse(JSON.stringify(value).replaceAll('-0000-4000-8000-', middle)) as T;
  return { history: renamed(drawn), chains: renamed(organizations) };
};

/** Every event once, some of them sent again, and some that lose to what is there. */
const append = async (log: EventLog, { events }: History): Promise<void> => {
  for (const [at, event] of events.entries()) {
    const { stream, revision, id, type, data, metadata } = event;
    const expected = revision === 0 ? 'none' : revision - 1;
    const one = { stream, expected, events: [{ id, type, data, metadata }] } as const;
    await log.append([one]);
    if (at % 3 === 0) await log.append([one]);
    const other = { ...one, events: [{ ...one.events[0], id: `${id.slice(0, -4)}ffff` }] };
    if (at % 5 === 0) expect(await log.append([other])).to.deep.equal(['conflict']);
  }
};

/** Folds the whole log as the runner would. */
const fold = async (log: EventLog, documents: Documents): Promise<void> => {
  const model = historyReadModel(documents, sha256);
  for (let after = await model.checkpoint(); ;) {
    const page = await log.page(after, 37);
    if (page.through === after) return;
    const folded = await model.fold(page.events, null, page.erased);
    await folded.apply({ position: page.through, fence: 1, after });
    after = page.through;
  }
};

type Told = {
  readonly chain: string;
  readonly hash: string;
  readonly root: string;
  readonly entries: readonly ChainEntry[];
  readonly pages: readonly ChainPage[];
};

const asked = { at: null, ascending: true, technical: true, limit: 20 };
/** Each filter by itself, in both directions; what they must find is known of one engine. */
const questions: readonly ChainQuery[] = [
  { ...asked, at: 100 },
  { ...asked, types: ['TraceLogged', 'ApiKeyCreated'] },
  { ...asked, actors: [uuid(5, 1), uuid(6, 1)] },
  { ...asked, projects: [uuid(1, 1)], technical: false },
  { ...asked, resourceTypes: ['log_stream'] },
  { ...asked, resourceIds: [uuid(2, 10)] },
  { ...asked, from: '2026-03-01T00:01:00.000000Z' as Instant },
  { ...asked, to: '2026-03-01T00:01:00.000000Z' as Instant },
].flatMap((question) => [question, { ...question, ascending: false }]);

/** Content of all chains, or of the named ones. */
const told = async (
  documents: Documents,
  named: readonly string[] | null,
): Promise<readonly Told[]> => {
  const chains = openChainReader(documents, sha256);
  const heads =
    named === null
      ? await chains.heads(null, 100)
      : (await Promise.all(named.map((name) => chains.head(name)))).filter((one) => one !== null);
  return Promise.all(
    heads.map(async ({ chain, size, hash, range }) => ({
      chain,
      hash,
      root: toHex(merkleRoot(sha256, range)),
      entries: await chains.entries(chain, 1, size),
      pages: await Promise.all(questions.map((question) => chains.page(chain, question))),
    })),
  );
};

/** Each log draws its own salts, and has its own positions. */
const withoutSalts = (all: readonly Told[]) =>
  all.map(({ chain, entries }) => ({
    chain,
    entries: entries.map((entry) => ({
      ...entry,
      position: logStart,
      dataDigest: '',
      prevHash: '',
      hash: '',
    })),
  }));

describe('one history on every engine', () => {
  const seed = drawSeed('one history on every engine');
  const count = runs(3);
  let mongo: MongoServer | null = null;
  before(async () => {
    if (hasMongo) mongo = await startMongo();
  });
  after(() => mongo?.stop());

  /** Folded while nothing was erased, and again from what stays. */
  const onLog = async (
    { log, scavenge, close }: Opened,
    history: History,
    named: readonly string[] | null = null,
  ): Promise<readonly Told[]> => {
    const opened: { readonly documents: Documents; readonly end: () => Promise<void> }[] = [];
    const sqlite = async (): Promise<Documents> => {
      const { dir, remove } = await temporaryFolder();
      const documents = await openDocuments({ dir });
      opened.push({ documents, end: remove });
      return documents;
    };
    try {
      await append(log, history);
      const live = await sqlite();
      await fold(log, live);
      for (const stream of history.erased) await log.erase(stream);
      await fold(log, live);
      const found = await told(live, named);
      const again = await sqlite();
      await fold(log, again);
      expect(await told(again, named)).to.deep.equal(found);
      await scavenge();
      const later = await sqlite();
      await fold(log, later);
      expect(await told(later, named)).to.deep.equal(found);
      if (mongo !== null) {
        const url = mongo.url();
        const documents = await openMongoDocuments({ url });
        opened.push({ documents, end: () => dropDatabase(url) });
        await fold(log, documents);
        expect(await told(documents, named)).to.deep.equal(found);
      }
      return found;
    } finally {
      for (const { documents, end } of opened) {
        await documents.close();
        await end();
      }
      await close();
    }
  };

  it('gives the same entries, heads and roots, before and after erasure', async () => {
    for (const history of fc.sample(histories(250), { seed, numRuns: count })) {
      const local = await onLog(await embedded(), history);
      const far = await onLog(await remote(), history);
      expect(withoutSalts(far)).to.deep.equal(withoutSalts(local));
    }
  }).timeout(120_000 * count);

  if (realUrl === undefined) {
    process.stdout.write('\nNo real EventStoreDB: ASSAY_TEST_EVENTSTORE_URL names one\n\n');
  } else {
    it('gives them on the EventStoreDB of ASSAY_TEST_EVENTSTORE_URL too', async () => {
      for (const drawn of fc.sample(histories(250), { seed, numRuns: count })) {
        const { history, chains } = anew(drawn);
        const local = await onLog(await embedded(), history, chains);
        const far = await onLog(await real(realUrl), history, chains);
        expect(local.map(({ chain }) => chain)).to.have.length.greaterThan(1);
        expect(withoutSalts(far)).to.deep.equal(withoutSalts(local));
      }
    }).timeout(600_000 * count);
  }

  if (!hasMongo) skipMongo('one history on every engine');
});
