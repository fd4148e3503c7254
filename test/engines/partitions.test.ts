import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { openRecords } from '../../engines/duckdb/records.js';
import { partitionedRecords, partitionOf } from '../../kernel/records/partitions.js';
import { streamNameOf } from '../../kernel/ports.js';
import type { Records } from '../../kernel/records/records.js';
import type { RecordRow } from '../../kernel/records/record.js';
import { recordShadowSuite } from '../suites/record-shadows.js';
import { temporaryFolder } from '../support/folder.js';
import { uuid } from '../support/recorded-project.js';
import {
  aggregateOf,
  markAt,
  put,
  putRows,
  scopeOf,
  searchOf,
  spanRow,
  traceId,
  traceRow,
} from '../support/record-rows.js';

const parts = 3;
/** Two projects of each part. */
const projects = Array.from({ length: 2 * parts }, (_, at) => `0000000${at}${uuid(1).slice(8)}`);

describe('partitioned records', function () {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let whole: Records;
  let records: Records;

  const openIn = async (name: string): Promise<Records> => {
    await mkdir(join(folder.dir, name), { recursive: true });
    return openRecords({ dir: join(folder.dir, name) });
  };
  const open = async (): Promise<Records> =>
    partitionedRecords(await Promise.all(['1', '2', '3'].map(openIn)));
  beforeEach(async () => {
    folder = await temporaryFolder();
    [whole, records] = await Promise.all([openIn('whole'), open()]);
  });
  afterEach(async () => {
    await Promise.all([whole.close(), records.close()]);
    await folder.remove();
  });

  const rows = projects.flatMap((project_id, at) =>
    [1, 2, 3].flatMap((n): readonly RecordRow[] => {
      const values = { project_id, session_id: uuid(500 + at), name: `trace ${n}` };
      const trace = traceRow(at * 10 + n, { values, userMetadata: { team: `t${n}` } });
      return [trace, spanRow(trace, 1, { metrics: { cost: { value: n, rolledUp: false } } })];
    }),
  );
  const groups = rows.filter(({ ordinal }) => ordinal === 0).map(({ group }) => group);
  const sorted = <T>(found: ReadonlyMap<string, T>): unknown =>
    [...found].sort(([one], [other]) => (one < other ? -1 : 1));
  const both = async <T>(ask: (of: Records) => Promise<T>): Promise<T> => {
    const [one, other] = await Promise.all([ask(whole), ask(records)]);
    expect(one).to.deep.equal(other);
    return one;
  };

  it('answer like unpartitioned records, for each project', async () => {
    expect(projects.map((one) => partitionOf(one, parts))).to.deep.equal([1, 2, 3, 1, 2, 3]);
    for (const of of [whole, records]) {
      await putRows(of, rows.slice(0, rows.length / 2));
      await putRows(of, rows.slice(rows.length / 2));
    }
    expect(await both((of) => of.checkpoint())).to.equal(markAt(2).position);
    await both(async (of) => sorted(await of.firstRows(groups)));
    await both(async (of) => sorted(await of.rowsByGroup(groups)));
    await both(async (of) => sorted(await of.groupBytes(groups)));
    await both(async (of) => sorted(await of.spanOutlines(groups)));
    await both((of) => Array.fromAsync(of.dump()));
    const places = groups.map((group) => ({ group, ordinals: [1] }));
    await both(
      async (of) => new Set((await of.rowsByOrdinal(places)).map(({ values }) => values['id'])),
    );
    for (const [at, project] of projects.entries()) {
      const scope = scopeOf({ project });
      const session = uuid(500 + at);
      const page = { offset: 0, limit: 10, bytesMax: 1e6 };
      expect(await both((of) => of.count(scope))).to.equal(3);
      await both((of) => of.search(searchOf({ project })));
      await both((of) => of.aggregate(aggregateOf({ project })));
      await both((of) => of.columns(scope));
      const id = traceId(at * 10 + 2);
      await both((of) => of.findGroup(project, 'trace', id));
      await both((of) => of.groupRows({ project, population: 'trace', id, bytesMax: 1e6 }));
      await both((of) => of.sessionPage({ project, session, ...page }));
      const part = { after: null, order: 'first', except: [], limit: 9 } as const;
      await both((of) => of.traceOutlines({ project, session }, part));
      await both((of) => of.metricTypes(project, ['cost']));
      await both(async (of) => sorted(await of.runMeasures(project, [uuid(2)])));
      const entry = { project, population: 'trace', key: 'team', value: 't1', limit: 9 } as const;
      await both((of) => of.recordsWithEntry(entry));
    }
  });

  it('delete a project, and accept a batch that some partitions have', async () => {
    for (const of of [whole, records]) await putRows(of, rows);
    for (const of of [whole, records]) await put(of, { deletedProjects: [projects[0] ?? ''] });
    await both((of) => Array.fromAsync(of.dump()));
    const again = {
      groups: [{ group: groups[3] ?? streamNameOf('trace', 'none'), fresh: false, rows: [] }],
      deletedRuns: [],
      deletedProjects: [],
    };
    for (const of of [whole, records]) {
      await of.apply(again, markAt(3));
      await of.apply(again, markAt(3));
    }
    await both((of) => Array.fromAsync(of.dump()));
  });

  recordShadowSuite(
    () => records,
    async () => {
      await records.close();
      records = await open();
    },
  );
});
