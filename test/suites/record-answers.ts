import { expect } from 'chai';
import { foldCase, caseFoldings } from '../../kernel/case-fold.js';
import type { Filter } from '../../kernel/filter.js';
import type { Records } from '../../kernel/records/records.js';
import type { Aggregate, AggregateRefusal } from '../../kernel/records/query-plans.js';
import type { RecordRow } from '../../kernel/records/record.js';
import { instantOf, microsecondsOf } from '../../kernel/records/time-buckets.js';
import {
  aggregateOf,
  groupKey,
  noon,
  putRows,
  scopeOf,
  searchOf,
  spanId,
  spanRow,
  traceId,
  traceRow,
} from '../support/record-rows.js';

/** Answers that generated cases rarely reach: limits, whole tables of characters, ranks. */
export const recordAnswerSuite = (records: () => Records): void => {
  filterTests(records);
  limitTests(records);
  it('take percentiles at the nearest rank, for any number of values', async () => {
    const rows = Array.from({ length: 40 }, (_, at) =>
      Array.from({ length: at + 1 }, (__, value) =>
        traceRow(at * 100 + value, {
          values: { name: `n${at + 1}` },
          metrics: { cost: { value: value + 1, rolledUp: false } },
        }),
      ),
    ).flat();
    await putRows(records(), rows);
    const ranks = [50, 90, 95, 99] as const;
    const widgets = ranks.map((percent) => ({
      id: `P${percent}`,
      metric: 'cost',
      aggregation: `P${percent}` as const,
      type: 'floating_point' as const,
    }));
    const answer = answered(
      await records().aggregate(aggregateOf({ widgets, groupBy: [groupKey('name')] })),
    );
    for (const { key, buckets } of answer.groups) {
      const count = Number(key.slice(1));
      const expected = ranks.map((percent) => [`P${percent}`, Math.ceil((percent * count) / 100)]);
      expect(buckets[0]?.widgets, key).to.deep.equal(Object.fromEntries(expected));
    }
    expect(answer.groups).to.have.lengthOf(40);
  });

  it('count values by bin, with the same edges in every bucket and group', async () => {
    const cost = (value: number) => ({ metrics: { cost: { value, rolledUp: false } } });
    await putRows(records(), [
      ...[0, 0.01, 0.02, 0.985].map((value, at) =>
        traceRow(at, { values: { name: 'a' }, ...cost(value) }),
      ),
      traceRow(4, { values: { name: 'b' }, ...cost(1) }),
      traceRow(5, { values: { name: 'c' } }),
    ]);
    const widget = { metric: 'cost', aggregation: 'Histogram', type: 'floating_point' } as const;
    const plan = aggregateOf({
      widgets: [{ id: 'h', ...widget }],
      groupBy: [groupKey('name')],
    });
    const { total, groups } = answered(await records().aggregate(plan));
    const edges = Array.from({ length: 51 }, (_, at) => (at * 2) / 100);
    const counts = (...bins: readonly (readonly [bin: number, count: number])[]) =>
      edges.slice(1).map((_, at) => new Map(bins).get(at) ?? 0);
    expect(total.widgets).to.deep.equal({
      h: { edges, counts: counts([0, 2], [1, 1], [49, 2]) },
    });
    expect(groups.map(({ buckets }) => buckets[0]?.widgets['h'])).to.deep.equal([
      { edges, counts: counts([0, 2], [1, 1], [49, 1]) },
      { edges, counts: counts([49, 1]) },
      null,
    ]);
    const none = { id: 'n', ...widget, metric: 'toxicity' };
    const empty = answered(await records().aggregate({ ...plan, widgets: [none], groupBy: [] }));
    expect(empty.total.widgets).to.deep.equal({ n: null });
  });

  it('find the records with an error of a metric, of any code or of some', async () => {
    const failed = (at: number, code: number) =>
      traceRow(at, { errors: { cost: { code, message: 'x' } } });
    await putRows(records(), [failed(1, 1_003), failed(2, 1_001), traceRow(3)]);
    const idsWith = async (codes: readonly number[] | null, not = false) => {
      const leaf: Filter = { kind: 'error', column: 'metrics/cost', codes };
      const filter = not ? { not: leaf } : leaf;
      return sortedIds((await records().search(searchOf({ filter }))).rows);
    };
    expect(await idsWith(null)).to.deep.equal([traceId(1), traceId(2)]);
    expect(await idsWith([1_003, 7])).to.deep.equal([traceId(1)]);
    expect(await idsWith([1_003], true)).to.deep.equal([traceId(2), traceId(3)]);
    expect(await idsWith(null, true)).to.deep.equal([traceId(3)]);
    const other: Filter = { kind: 'error', column: 'metrics/bleu', codes: null };
    expect((await records().search(searchOf({ filter: other }))).rows).to.deep.equal([]);
  });

  it('report errors of the requested metrics, of traces with their spans', async () => {
    const trace = traceRow(1, { errors: { cost: { code: 7, message: 'b' } } });
    const span = spanRow(trace, 1, {
      errors: { cost: { code: 7, message: 'a' }, bleu: { code: 8, message: null } },
    });
    await putRows(records(), [
      trace,
      span,
      traceRow(2, { errors: { cost: { code: 9, message: '' } } }),
    ]);
    const only = (id: string): Filter => ({
      kind: 'id',
      column: 'id',
      operator: 'eq',
      values: [id],
      caseSensitive: true,
    });
    const widget = {
      id: 'w',
      metric: 'cost',
      aggregation: 'Count',
      type: 'floating_point',
    } as const;
    const plan = aggregateOf({ widgets: [widget], filter: only(traceId(1)) });
    expect(answered(await records().aggregate(plan)).errors).to.deep.equal([
      { code: 7, message: 'a' },
    ]);
    const both = {
      ...plan,
      filter: null,
      widgets: [widget, { ...widget, id: 'v', metric: 'bleu' }],
    };
    expect(answered(await records().aggregate(both)).errors).to.deep.equal([
      { code: 7, message: 'a' },
      { code: 8, message: null },
      { code: 9, message: '' },
    ]);
  });
};

const sortedIds = (rows: readonly RecordRow[]): readonly string[] =>
  rows.map(({ values }) => String(values['id'])).sort((one, other) => (one < other ? -1 : 1));

const answered = (answer: Aggregate | AggregateRefusal): Aggregate => {
  if ('refused' in answer) throw new Error(`refused: ${JSON.stringify(answer)}`);
  return answer;
};

const filterTests = (records: () => Records): void => {
  const text = (
    column: string,
    operator: 'eq' | 'contains' | 'one_of',
    values: readonly string[],
    caseSensitive = true,
  ): Filter => ({ kind: 'text', column, operator, values, caseSensitive });
  const found = async (filter: Filter): Promise<readonly string[]> =>
    sortedIds((await records().search(searchOf({ filter, limit: 10_000 }))).rows);

  it('never read a value as a pattern or as a statement', async () => {
    const awkward = [
      '%',
      '_',
      '\\',
      '.*',
      "'",
      "'; DROP TABLE traces; --",
      '$1',
      '(?i)a',
      '[a-z]',
      '"',
      '\u0000',
      '{',
    ];
    await putRows(
      records(),
      awkward.map((name, at) => traceRow(at, { values: { name }, userMetadata: { k: name } })),
    );
    for (const [at, value] of awkward.entries()) {
      for (const caseSensitive of [true, false]) {
        for (const column of ['name', 'user_metadata/k']) {
          const filter = text(column, 'eq', [value], caseSensitive);
          expect(await found(filter), value).to.deep.equal([traceId(at)]);
        }
      }
      const holding = awkward.flatMap((name, place) =>
        name.includes(value) ? [traceId(place)] : [],
      );
      expect(await found(text('name', 'contains', [value])), value).to.deep.equal(holding);
    }
    const column = 'user_metadata/\'"; DROP TABLE traces; --';
    expect(await found(text(column, 'eq', ['x']))).to.deep.equal([]);
  });

  it('fold case as the kernel does, for every character that has a case', async () => {
    const characters = [...new Set([...caseFoldings().keys(), ...caseFoldings().values()])];
    const rows = characters.map((name, at) =>
      traceRow(at, { values: { name, tags: [name] }, userMetadata: { k: name } }),
    );
    await putRows(records(), rows);
    // Every 10th: neighbours in the table, which an engine might confuse, are never queried
    // together.
    const strides = Array.from({ length: 10 }, (_, offset) =>
      characters.filter((__, at) => at % 10 === offset),
    );
    for (const values of strides) {
      const classes = new Set(values.map(foldCase));
      const expected = rows.filter(({ values: { name } }) => classes.has(foldCase(String(name))));
      const ids = sortedIds(expected);
      const tagged: Filter = {
        kind: 'collection',
        column: 'tags',
        operator: 'one_of',
        values,
        caseSensitive: false,
      };
      const leaves = ['name', 'user_metadata/k'].map((column) =>
        text(column, 'one_of', values, false),
      );
      expect(await found({ all: [...leaves, tagged] })).to.deep.equal(ids);
      expect(await found({ any: [...leaves, tagged] })).to.deep.equal(ids);
    }
  });

  it('accept lists of a thousand items', async () => {
    await putRows(records(), [traceRow(1, { values: { name: 'needle', tags: ['needle'] } })]);
    const values = Array.from({ length: 1_000 }, (_, at) => (at === 999 ? 'NEEDLE' : `hay ${at}`));
    expect(await found(text('name', 'one_of', values, false))).to.have.lengthOf(1);
    expect(await found(text('name', 'one_of', values))).to.have.lengthOf(0);
    expect(
      await records().count(scopeOf({ filter: { not: text('name', 'contains', values) } })),
    ).to.equal(1);
  });
};

const limitTests = (records: () => Records): void => {
  const at = (minutes: number) => instantOf(microsecondsOf(noon) + BigInt(minutes) * 60_000_000n);

  it('refuse more than a thousand groups, and no fewer', async () => {
    const rows = Array.from({ length: 1_000 }, (_, place) =>
      traceRow(place, { values: { name: `n${place}`, status_code: place } }),
    );
    await putRows(records(), rows);
    const byName = aggregateOf({ groupBy: [groupKey('name')] });
    const byStatus = aggregateOf({ groupBy: [groupKey('status_code')] });
    expect(answered(await records().aggregate(byName)).groups).to.have.lengthOf(1_000);
    expect(answered(await records().aggregate(byStatus)).groups).to.have.lengthOf(1_000);
    await putRows(records(), [traceRow(1_000)]);
    expect(await records().aggregate(byName)).to.deep.equal({ refused: 'groups' });
    expect(await records().aggregate(byStatus)).to.deep.equal({ refused: 'groups' });
  });

  it('refuse to group by texts of more than 1,024 code points', async () => {
    await putRows(records(), [traceRow(1, { values: { input: '🎉'.repeat(1_024) } })]);
    const plan = aggregateOf({ groupBy: [groupKey('input')] });
    expect(answered(await records().aggregate(plan)).groups).to.have.lengthOf(1);
    await putRows(records(), [traceRow(2, { values: { input: 'x'.repeat(1_025) } })]);
    expect(await records().aggregate(plan)).to.deep.equal({ refused: 'long-group-value' });
  });

  it('refuse a thousand groups and one by columns of spans, and long values of them', async () => {
    const trace = traceRow(1);
    const spans = Array.from({ length: 1_000 }, (_, place) =>
      spanRow(trace, place + 1, { values: { id: spanId(place), model: `m${place}` } }),
    );
    const plan = aggregateOf({ groupBy: [groupKey('model', 'any_span')] });
    const withSpans = (more: readonly RecordRow[]) =>
      putRows(records(), [trace, ...spans, ...more]);
    const another = (model: string) =>
      spanRow(trace, 1_001, { values: { id: spanId(1_001), model } });
    await withSpans([]);
    const { total, groups } = answered(await records().aggregate(plan));
    expect(total.requests).to.equal(1);
    expect(groups.map(({ buckets }) => buckets[0]?.requests)).to.deep.equal(Array(1_000).fill(1));
    await withSpans([another('m1000')]);
    expect(await records().aggregate(plan)).to.deep.equal({ refused: 'groups' });
    await withSpans([another('x'.repeat(1_025))]);
    expect(await records().aggregate(plan)).to.deep.equal({ refused: 'long-group-value' });
  });

  it('refuse more than a thousand categories of a text metric, naming the widget', async () => {
    const verdict = (place: number) =>
      traceRow(place, {
        metrics: {
          verdict: {
            value: `v${place}`,
            rolledUp: false,
            first: { at: String(place), type: 'text', fraction: false },
          },
        },
      });
    await putRows(
      records(),
      Array.from({ length: 1_000 }, (_, place) => verdict(place)),
    );
    const cost = { id: 'a', metric: 'cost', aggregation: 'Count', type: 'floating_point' } as const;
    const count = { id: 'b', metric: 'verdict', aggregation: 'Count', type: 'text' } as const;
    const plan = aggregateOf({ widgets: [cost, count] });
    const { total } = answered(await records().aggregate(plan));
    expect(Object.keys(total.widgets['b'] ?? {})).to.have.lengthOf(1_000);
    await putRows(records(), [verdict(1_000)]);
    expect(await records().aggregate(plan)).to.deep.equal({ refused: 'categories', widget: 1 });
  });

  it('refuse more than a million answered values, saying how many', async () => {
    const tags = Array.from({ length: 10 }, (_, place) => `t${place}`);
    const rows = Array.from({ length: 1_000 }, (_, place) =>
      traceRow(place, { values: { tags, created_at: at(place) } }),
    );
    await putRows(records(), rows);
    const cost = { metric: 'cost', type: 'floating_point' } as const;
    const sum = { ...cost, id: 's', aggregation: 'Sum' } as const;
    const histograms = ['a', 'b'].map((id) => ({ ...cost, id, aggregation: 'Histogram' as const }));
    const plan = aggregateOf({ groupBy: [groupKey('tags')], intervalMinutes: 1, widgets: [sum] });
    expect(await records().aggregate({ ...plan, widgets: [sum, ...histograms] })).to.deep.equal({
      refused: 'values',
      count: 1_040_000,
    });
    const legal = answered(await records().aggregate(plan));
    expect(legal.groups.flatMap(({ buckets }) => buckets)).to.have.lengthOf(10_000);
  });
};
