import { join } from 'node:path';
import { openDatabase, type Database } from '../engines/sqlite/database.js';
import { seededRandom, type SeededRandom } from '../kernel/seeded-random.js';
import { newestSeal } from '../ledger/seals/seal-streams.js';
import { openBus } from '../engines/memory/bus.js';
import { systemClock } from '../engines/node/clock.js';
import { sha256 } from '../engines/node/digest.js';
import { threadProcessorMs } from '../engines/node/thread-time.js';
import { openDocumentReader } from '../engines/sqlite/document-reader.js';
import { openEventReader } from '../engines/sqlite/event-log.js';
import type { ProofQuery } from '../contract/history-seals.js';
import type { HistoryQuery } from '../contract/history.js';
import type { HistoryResourceType } from '../kernel/history-resources.js';
import type { Principal } from '../contract/roles.js';
import { decode } from '../events/codec.js';
import { toHex } from '../kernel/hex.js';
import type { Id } from '../kernel/schema-types.js';
import { openChainReader } from '../ledger/chain-reader.js';
import { tagCharacters } from '../ledger/reads/cursor.js';
import { historyPage } from '../ledger/reads/page.js';
import { entryProof } from '../ledger/reads/proof.js';
import { entryEvidence } from '../ledger/reads/entry-evidence.js';
import { historyChanges } from '../ledger/reads/entry-changes.js';
import { cpuTime } from '../test/support/cpu-time.js';
import { timeRuns, type BenchContext } from './bench-context.js';
import { fillHistory, organization, rareType } from './long-history.js';
import { figure, type ResultRow } from './result-rows.js';
import { resultHash, summary } from './statistics.js';

/** A question, and what finds the same without us; both answer how many they found. */
type ReadBench = {
  readonly name: string;
  readonly what: string;
  readonly most: number;
  readonly ask: (history: History) => () => Promise<number>;
  readonly beside: string;
  readonly straight: (database: Database) => () => Promise<number>;
};

const warmUps = 3;
const pageLimit = 100;
const signal = new AbortController().signal;

const historyReadCases: readonly ReadBench[] = [
  {
    name: 'history-page',
    what: 'p95 of: a page of 100 traces of 10 spans, newest first, page after page',
    most: 60,
    ask: (history) => {
      let cursor: string | null = null;
      return async () => {
        const page = await history.page(cursor === null ? {} : { cursor });
        cursor = page.next_cursor;
        return page.entries.length;
      };
    },
    beside: 'their events read from the table and parsed',
    straight: (database) => {
      const rows = database.prepare<[number], { pos: number; data: string }>(
        `SELECT pos, data FROM events WHERE pos < ? AND type = 'TraceLogged'
         ORDER BY pos DESC LIMIT ${pageLimit}`,
      );
      let before = Number.MAX_SAFE_INTEGER;
      return async () => {
        const found = rows.all(before);
        before = found.at(-1)?.pos ?? before;
        return found.map(({ data }) => JSON.parse(data) as unknown).length;
      };
    },
  },
  {
    name: 'history-page-rare',
    what: 'p95 of: a page of the 100 events of one type among all',
    most: 120,
    ask: (history) => async () => {
      const { entries } = await history.page({ event_type: [rareType] });
      return entries.length;
    },
    beside: 'these events by their type from the table',
    straight: (database) => {
      const rows = database.prepare<[string]>('SELECT * FROM events WHERE type = ?');
      return async () => rows.all(rareType).length;
    },
  },
  {
    name: 'history-resource',
    what: 'p95 of: the history of one trace somewhere among all',
    most: 120,
    ask: (history) => async () => {
      const { resource } = await history.entry(history.anywhere());
      const asked: HistoryQuery = {
        resource_type: [resource.type as HistoryResourceType],
        resource_id: [resource.id],
      };
      let found = 0;
      for (let cursor: string | null | undefined; cursor !== null;) {
        const page = await history.page({ ...asked, order: 'asc', ...(cursor && { cursor }) });
        found += page.entries.length;
        cursor = page.next_cursor;
      }
      return found;
    },
    beside: 'the events of a stream from the table',
    straight: (database) => {
      const name = database.prepareValue<[number], string>(
        'SELECT stream FROM events WHERE pos = ?',
      );
      const rows = database.prepare<[string]>('SELECT * FROM events WHERE stream = ?');
      const { random, size } = placesOf(database);
      return async () => rows.all(name.get(random.integer(3, size)) ?? '').length;
    },
  },
  {
    name: 'history-proof',
    what: 'p95 of: an entry anywhere with what proves that it is in the sealed tree',
    most: 10,
    ask: (history) => async () => history.proof({ seq: history.anywhere() }),
    beside: 'the event by its place from the table',
    straight: (database) => {
      const row = database.prepare<[number]>('SELECT * FROM events WHERE pos = ?');
      const { random, size } = placesOf(database);
      return async () => row.all(random.integer(3, size)).length;
    },
  },
  {
    name: 'history-proof-by-id',
    what: 'p95 of: the same by the id of one of the newest 100,000 events',
    most: 120,
    ask: (history) => async () => {
      const { eventId } = await history.entry(history.among(100_000));
      return history.proof({ event_id: eventId as Id<'EventId'> });
    },
    beside: 'the event by its id from the table',
    straight: (database) => {
      const id = database.prepareValue<[number], string>('SELECT id FROM events WHERE pos = ?');
      const row = database.prepare<[string]>('SELECT * FROM events WHERE id = ?');
      const { random, size } = placesOf(database);
      return async () => row.all(id.get(random.integer(3, size)) ?? '').length;
    },
  },
];
export const historyReadRowNames = historyReadCases.map(({ name }) => name);

/** Pages and proofs of a long history, asked as the thread does that answers requests. */
export const historyReadRows = async (bench: BenchContext): Promise<readonly ResultRow[]> => {
  const dir = join(bench.dir, 'history-reads');
  const events = bench.smoke ? 2_000 : 1_000_000;
  const times = bench.smoke ? 2 : 60;
  bench.say(`history-page: ${events} events into a log`);
  await fillHistory(dir, { events, wideTraces: (warmUps + times) * pageLimit }, bench.say);
  const database = openDatabase(join(dir, 'log.sqlite'), { readOnly: true });
  const history = await openHistory(dir);
  try {
    const rows: ResultRow[] = [];
    for (const question of historyReadCases.filter(({ name }) => bench.isWanted(name))) {
      bench.say(`${question.name}: ${times} times`);
      rows.push(await measured(question, history, database, { events, times }));
    }
    return rows;
  } finally {
    await history.close();
    database.close();
  }
};

const measured = async (
  { name, what, most, ask, beside, straight }: ReadBench,
  history: History,
  database: Database,
  parameters: { readonly events: number; readonly times: number },
): Promise<ResultRow> => {
  const { times } = parameters;
  const answers: number[] = [];
  const asked = ask(history);
  const once = async (): Promise<void> => void answers.push(await asked());
  await timeRuns(warmUps, once);
  const used = cpuTime();
  const taken = summary(await timeRuns(times, once));
  const processor = used() / times;
  const put = straight(database);
  await timeRuns(warmUps, put);
  const other = summary(await timeRuns(times, put));
  return {
    name,
    what,
    parameters,
    unit: 'ms',
    measured: { ...figure(taken), value: taken.p95 },
    baseline: { what: beside, ...figure(other), value: other.p95 },
    target: { most },
    more: { 'median ms': taken.median, 'slowest ms': taken.max, 'processor ms each': processor },
    hash: resultHash(answers),
  };
};

type History = Awaited<ReturnType<typeof openHistory>>;

const auditor: Principal = {
  userId: '3fa85f64-5717-4562-b3fc-2c963f66afa7' as Principal['userId'],
  organizationId: organization as Principal['organizationId'],
  organizationRole: 'auditor',
  key: null,
};
const neverCalled = () => Promise.reject(new Error('an auditor may see all of it'));

const openHistory = async (dir: string) => {
  const log = await openEventReader({ dir, bus: openBus('bench'), decode });
  const documents = await openDocumentReader({ dir });
  const chains = openChainReader(documents, sha256);
  const seal = await newestSeal({ log, chains, clock: systemClock }, organization);
  if (seal === null) throw new Error('the history was not sealed');
  const needs = {
    chains,
    clock: systemClock,
    sha256,
    cursorTag: (text: string) => toHex(sha256(text)).slice(0, tagCharacters),
    ...historyChanges({
      log,
      clock: systemClock,
      processorMs: threadProcessorMs,
      sha256,
      positionOf: neverCalled,
    }),
    ...entryEvidence(log),
    authorizer: { visibleProject: neverCalled },
  };
  const random = seededRandom(37);
  const { size } = seal;
  return {
    /** Reads a page and serialises it. */
    page: async (asked: HistoryQuery) => {
      const found = await historyPage(needs, organization, { limit: pageLimit, ...asked }, signal);
      JSON.stringify(found);
      return found;
    },
    /** Answers how many lines it has. */
    proof: async (asked: ProofQuery): Promise<number> => {
      const found = await entryProof(needs, auditor, asked, { ...seal, at: seal.sealedAt }, signal);
      JSON.stringify(found);
      return found.proof.split('\n').length;
    },
    entry: async (seq: number) => {
      const [entry] = await chains.entries(organization, seq, seq);
      if (entry === undefined) throw new Error(`entry ${seq} is missing`);
      return entry;
    },
    anywhere: () => random.integer(3, size),
    among: (newest: number) => random.integer(Math.max(3, size - newest + 1), size),
    close: async () => {
      await documents.close();
      await log.close();
    },
  };
};

const placesOf = (database: Database): { random: SeededRandom; size: number } => ({
  random: seededRandom(37),
  size: Number(database.prepareValue('SELECT max(pos) FROM events').get()),
});
