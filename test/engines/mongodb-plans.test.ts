import { expect } from 'chai';
import { MongoClient, type Document } from 'mongodb';
import { openMongoRecords } from '../../engines/mongodb/records.js';
import { instantOf, microsecondsOf } from '../../kernel/records/time-buckets.js';
import type { Records } from '../../kernel/records/records.js';
import type { Aggregation, Widget } from '../../kernel/records/query-plans.js';
import type { RecordRow } from '../../kernel/records/record.js';
import { uuid } from '../support/record-generators.js';
import { isOfRows } from '../support/mongo.js';
import { openMongoProxy, type MongoProxy } from '../support/mongo-proxy.js';
import {
  aggregateOf,
  groupKey,
  noon,
  project,
  putRows,
  run,
  scopeOf,
  searchOf,
  sessionId,
  spanRow,
  traceId,
  traceRow,
} from '../support/record-rows.js';
import { dropDatabase, withMongo } from '../support/with-mongo.js';

const traces = 3_000;
const inWindow = 50;
const at = (minute: number) => instantOf(microsecondsOf(noon) + BigInt(minute) * 60_000_000n);
const window = { from: at(1_000), to: at(1_000 + inWindow - 1) };

const rows = (): readonly RecordRow[] =>
  Array.from({ length: traces }, (_, minute) => {
    const first = { at: String(minute).padStart(8, '0'), type: 'text', fraction: false } as const;
    const trace = traceRow(minute, {
      values: {
        created_at: at(minute),
        session_id: sessionId(minute % 100),
        name: 'n',
        tags: ['a'],
      },
      metrics: {
        cost: { value: minute, rolledUp: false },
        verdict: { value: 'good', rolledUp: false, first },
      },
      userMetadata: { k: 'v' },
      spanCount: 1,
      ...(minute === 1_010 ? { errors: { cost: { code: 7, message: 'no' } } } : {}),
    });
    return [trace, spanRow(trace, 1)];
  }).flat();

const widget = (id: string, metric: string, aggregation: Aggregation): Widget => ({
  id,
  metric,
  aggregation,
  type: metric === 'verdict' ? 'text' : 'floating_point',
});
const widgets = [
  widget('a', 'cost', 'P90'),
  widget('b', 'cost', 'Average'),
  widget('c', 'verdict', 'Count'),
];

/** Everything that is asked about a window of time, as requests ask it. */
const questions: Readonly<Record<string, (records: Records) => Promise<unknown>>> = {
  'a search': (records) => records.search(searchOf({ ...window, limit: 20 })),
  'a search of a run': (records) => records.search(searchOf({ ...window, run, limit: 20 })),
  'a search in another order': (records) =>
    records.search(
      searchOf({ ...window, sort: { column: 'metrics/cost', ascending: true }, limit: 20 }),
    ),
  'a search in the order of a text': (records) =>
    records.search(searchOf({ ...window, sort: { column: 'name', ascending: false }, limit: 20 })),
  'a page without a window': (records) => records.search(searchOf({ limit: 20 })),
  'a count': (records) => records.count(scopeOf({ ...window, population: 'span' })),
  'a filtered count': (records) =>
    records.count(
      scopeOf({
        ...window,
        filter: {
          kind: 'text',
          column: 'name',
          operator: 'ne',
          values: ['x'],
          caseSensitive: false,
        },
      }),
    ),
  'an aggregate': (records) => records.aggregate(aggregateOf({ ...window, widgets })),
  'a grouped aggregate': (records) =>
    records.aggregate(aggregateOf({ ...window, widgets, groupBy: [groupKey('tags')] })),
  'an aggregate of spans of a run': (records) =>
    records.aggregate(
      aggregateOf({ ...window, run, population: 'span', widgets, groupBy: [groupKey('name')] }),
    ),
  'the columns': (records) => records.columns(scopeOf(window)),
  'the columns of all records': (records) => records.columns(scopeOf()),
  'the columns of all records of a run': (records) => records.columns(scopeOf({ run })),
  'the type of a metric': (records) => records.metricTypes(project, ['verdict', 'none']),
  'a record': (records) => records.findGroup(project, 'trace', traceId(1_500)),
  'a trace with its spans': (records) =>
    records.groupRows({ project, population: 'trace', id: traceId(1_500), bytesMax: 1e6 }),
  'the rows of a trace': (records) => records.rowsByGroup([traceRow(1_500).group]),
  'the weight of a trace': (records) => records.groupBytes([traceRow(1_500).group]),
  'the counts of a run': (records) => records.runCounts(project, [uuid(2, 9)]),
  'the ratings of a project': (records) => records.ratings(project, null),
  'the traces of a session': (records) =>
    records.tracesOfSessions({ project, sessions: [sessionId(7)], tracesMax: 100 }),
  'an entry whose key is no column': (records) =>
    records.recordsWithEntry({ project, population: 'trace', key: 'none', value: 'v', limit: 10 }),
};

withMongo('plans of MongoDB', (server) => {
  let wire: MongoProxy;
  let records: Records;
  let client: MongoClient;
  const database = 'plans';
  before(async function () {
    wire = await openMongoProxy(server(), database);
    records = await openMongoRecords({ url: wire.url });
    client = await MongoClient.connect(server().url(database));
    await putRows(records, rows());
  });
  after(async () => {
    await client.close();
    await records.close();
    await wire.close();
    await dropDatabase(server().url(database));
  });

  it('reads each record at most twice for a dump', async () => {
    const looked = async (): Promise<number> => {
      const { metrics } = await client.db().command({ serverStatus: 1 });
      return Number((metrics as Document)['queryExecutor'].scannedObjects);
    };
    const before = await looked();
    let dumped = 0;
    for await (const _ of records.dump()) dumped += 1;
    expect(dumped).to.equal(2 * traces);
    expect((await looked()) - before).to.be.within(dumped, 2 * dumped);
  });

  for (const [title, ask] of Object.entries(questions)) {
    it(`reads ${title} by an index and little else`, async () => {
      const before = wire.commands.length;
      await ask(records);
      const asked = wire.commands.slice(before).filter(readsRows);
      expect(asked).not.to.have.lengthOf(0);
      for (const command of asked) {
        const plan = await client
          .db()
          .command({ explain: bare(command), verbosity: 'executionStats' });
        const stages = membersOf(plan, 'stage');
        expect(stages, JSON.stringify(command)).to.include('IXSCAN');
        expect(stages, JSON.stringify(command)).not.to.include('COLLSCAN');
        const looked = membersOf(plan, 'totalDocsExamined').map(Number);
        expect(Math.max(...looked), JSON.stringify(command)).to.be.at.most(inWindow);
      }
    });
  }
});

/** Every read names the rows of a generation; the model itself is one document by its id. */
const readsRows = (command: Document): boolean =>
  ['find', 'aggregate'].some((kind) => isOfRows(command[kind]));

/** The command without members of the connection, which explain refuses. */
const bare = ({ lsid, $db, $clusterTime, readConcern, ...command }: Document): Document => {
  void [lsid, $db, $clusterTime, readConcern];
  return command;
};

const membersOf = (value: unknown, name: string): readonly unknown[] => {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([member, inner]) => [
    ...(member === name ? [inner] : []),
    ...membersOf(inner, name),
  ]);
};
