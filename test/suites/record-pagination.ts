import { expect } from 'chai';
import type { SortOrder } from '../../kernel/documents.js';
import type { Records } from '../../kernel/records/records.js';
import type { RecordPage } from '../../kernel/records/query-plans.js';
import type { MetricType, RecordRow } from '../../kernel/records/record.js';
import { streamNameOf } from '../../kernel/ports.js';
import { instantOf, microsecondsOf } from '../../kernel/records/time-buckets.js';
import {
  idsOf,
  noon,
  put,
  project,
  putRows,
  searchOf,
  sessionRow,
  spanRow,
  traceId,
  traceRow,
} from '../support/record-rows.js';

const first = (at: number, type: MetricType) => ({
  first: { at: String(100 + at), type, fraction: type === 'floating_point' },
});

/** Few of each value, so that ties, missing values and stretches meet in every way. */
const variedRow = (at: number): RecordRow => {
  const third = at % 3;
  return traceRow(at, {
    values: {
      name: third === 0 ? 'a' : `"${'b'.repeat(third)}"\n`,
      created_at: instantOf(microsecondsOf(noon) + BigInt(at % 4)),
      ...(at % 5 > 0 && { status_code: 200 + third, is_complete: third > 0 }),
      ...(at % 2 > 0 && { external_id: `${third}` }),
    },
    ...(at % 7 > 0 && {
      metrics: {
        cost: { value: 0.1 + (at % 3) * 0.2, rolledUp: at % 2 === 0 },
        own: { value: (at % 4) + 0.5, rolledUp: false, ...first(at, 'floating_point') },
        word: { value: `w${third}`, rolledUp: false, ...first(at, 'text') },
        yes: { value: third > 0, rolledUp: false, ...first(at, 'boolean') },
      },
      userMetadata: { key: `${third}` },
    }),
  });
};

const columns = [
  'id',
  'name',
  'created_at',
  'status_code',
  'is_complete',
  'external_id',
  'metrics/cost',
  'metrics/own',
  'metrics/word',
  'metrics/yes',
  'metrics/never',
  'user_metadata/key',
  'user_metadata/never',
] as const;
const sorts: readonly (SortOrder | null)[] = [
  null,
  ...columns.flatMap((column) => [true, false].map((ascending) => ({ column, ascending }))),
];

const isOdd = {
  kind: 'text',
  column: 'external_id',
  operator: 'one_of',
  values: ['0', '2'],
  caseSensitive: true,
} as const;

/** Keyset pagination from the first to the last record, as exports use it. */
export const recordPaginationSuite = (records: () => Records): void => {
  const stretch = (changes: Parameters<typeof searchOf>[0]): Promise<RecordPage> =>
    records().search(searchOf({ limit: 3, ...changes }));
  const walk = async (
    changes: Parameters<typeof searchOf>[0] = {},
  ): Promise<readonly unknown[]> => {
    const found: unknown[] = [];
    for (let after: string | null = null; ;) {
      const { rows, more, next } = await stretch({ ...changes, after });
      found.push(...idsOf(rows));
      expect(next !== undefined).to.equal(more);
      if (next === undefined) return found;
      after = next;
    }
  };

  it('walk through all of a search in any order, in stretches', async () => {
    await putRows(
      records(),
      Array.from({ length: 20 }, (_, at) => variedRow(at)),
    );
    for (const sort of sorts) {
      const { rows, next } = await records().search(searchOf({ sort, limit: 100 }));
      expect(rows).to.have.lengthOf(20);
      expect(next).to.equal(undefined);
      expect(await walk({ sort }), JSON.stringify(sort)).to.deep.equal(idsOf(rows));
    }
    const to = instantOf(microsecondsOf(noon) + 1n);
    const { rows } = await records().search(searchOf({ to, limit: 100 }));
    expect(await walk({ to })).to.deep.equal(idsOf(rows));
  });

  it('walk through spans and sessions, and end a stretch by its bytes', async () => {
    const rows = [1, 2, 3, 4].flatMap((at) => {
      const trace = variedRow(at);
      return [trace, spanRow(trace, 1), spanRow(trace, 2, { values: { model: 'm' } })];
    });
    await putRows(records(), [...rows, sessionRow(1), sessionRow(2)]);
    for (const population of ['span', 'session'] as const) {
      for (const sort of [
        null,
        { column: 'model', ascending: true },
        { column: 'name', ascending: false },
      ]) {
        const whole = await records().search(searchOf({ population, sort, limit: 100 }));
        const walked = await walk({ population, sort, bytesMax: 1 });
        expect(walked).to.deep.equal(idsOf(whole.rows));
      }
    }
  });

  it('neither skip nor repeat present records while others come and go', async () => {
    const rows = Array.from({ length: 9 }, (_, at) => traceRow(at + 10));
    await putRows(records(), rows);
    const first = await stretch({ after: null });
    const gone = streamNameOf('trace', project, traceId(16));
    await put(records(), { groups: [{ group: gone, fresh: false, rows: [] }] });
    await putRows(records(), [traceRow(1), traceRow(99)]);
    const seen = [...idsOf(first.rows)];
    for (let after = first.next; after !== undefined;) {
      const { rows: more, next } = await stretch({ after });
      seen.push(...idsOf(more));
      after = next;
    }
    // Ids descend: new records are before or after the cursor.
    expect(seen).to.deep.equal([18, 17, 16, 15, 14, 13, 12, 11, 10, 1].map(traceId));
  });

  it('begin a page behind a record, whether the search finds it or not', async () => {
    const rows = Array.from({ length: 12 }, (_, at) => variedRow(at));
    await putRows(records(), rows);
    for (const sort of sorts) {
      const all = idsOf((await records().search(searchOf({ sort }))).rows);
      const some = searchOf({ sort, to: noon, filter: { not: isOdd } });
      const found = idsOf((await records().search(some)).rows);
      for (const id of all.map(String).filter((_, at) => at % 4 === 1)) {
        const after = await records().cursorOf(some, id);
        const behind = new Set(all.slice(all.indexOf(id) + 1));
        const expected = found.filter((one) => behind.has(one));
        const page = await records().search({ ...some, after });
        expect(idsOf(page.rows), JSON.stringify({ sort, id })).to.deep.equal(expected);
        const second = await records().search({ ...some, after, offset: 1, limit: 2 });
        expect(idsOf(second.rows)).to.deep.equal(expected.slice(1, 3));
        expect(second.more).to.equal(expected.length > 3);
      }
    }
  });

  it('have no cursor behind a record of another project or kind', async () => {
    const trace = traceRow(1);
    const [one, other] = [spanRow(trace, 1), spanRow(traceRow(2), 1)];
    const twin = { ...other, values: { ...other.values, id: one.values['id'] ?? null } };
    await putRows(records(), [trace, one, traceRow(2), twin]);
    const cursor = (population: 'trace' | 'span', id: unknown, of = project) =>
      records().cursorOf(searchOf({ population, project: of }), String(id));
    expect(await cursor('span', trace.values['id'])).to.equal(null);
    expect(await cursor('trace', traceId(3))).to.equal(null);
    expect(await cursor('trace', trace.values['id'], traceId(1))).to.equal(null);
    const shared = await cursor('span', one.values['id']);
    expect(shared).to.not.equal(null);
    const behind = await records().search(searchOf({ population: 'span', after: shared }));
    expect(behind.rows).to.deep.equal([]);
  });
};
