import { expect } from 'chai';
import { byCodePoint } from '../../kernel/code-points.js';
import type { Filter } from '../../kernel/filter.js';
import type { Records } from '../../kernel/records/records.js';
import type { Population } from '../../kernel/records/record.js';
import {
  aggregateOf,
  groupKey,
  idsOf,
  noon,
  putRows,
  scopeOf,
  searchOf,
  sessionId,
  sessionRow,
  spanRow,
  traceId,
  traceRow,
} from '../support/record-rows.js';

const named = (name: string): Filter => ({
  kind: 'text',
  column: 'name',
  operator: 'eq',
  values: [name],
  caseSensitive: true,
});
const some = (level: 'span' | 'trace', where: Filter): Filter => ({ some: level, where });
const all = (level: 'span' | 'trace', where: Filter): Filter => ({
  not: some(level, { not: where }),
});

const rowsOfLevels = () => {
  const later = '2026-03-02T12:00:00.000000Z';
  const [mixed, plain, bare] = [1, 2, 3].map((at) =>
    traceRow(at, { values: { session_id: sessionId(at === 3 ? 2 : 1) }, spanCount: 2 }),
  ) as [ReturnType<typeof traceRow>, ReturnType<typeof traceRow>, ReturnType<typeof traceRow>];
  // In no session, although one has its id.
  const lone = traceRow(4, {
    values: { id: sessionId(2), session_id: sessionId(2), name: 'lone' },
  });
  return [
    ...[1, 2, 3].map((at) => sessionRow(at)),
    { ...mixed, errors: { cost: { code: 7, message: 'no' } } },
    spanRow(mixed, 1, { values: { name: 'find', input: 'x'.repeat(20_000) + 'needle' } }),
    spanRow(mixed, 2, { values: { name: 'book', created_at: later } }),
    plain,
    spanRow(plain, 1, { values: { name: 'book' }, userMetadata: { k: 'v' } }),
    spanRow(plain, 2, { values: { name: 'book' } }),
    bare,
    lone,
  ];
};

/** Filters of a record by what is below it (contract 3.7, rule 8). */
export const recordLevelSuite = (records: () => Records): void => {
  const found = async (population: Population, filter: Filter) =>
    idsOf((await records().search(searchOf({ population, filter }))).rows)
      .map(String)
      .sort(byCodePoint);

  it('find traces by their spans, and sessions by their traces', async () => {
    await putRows(records(), rowsOfLevels());
    const cases: readonly (readonly [Population, Filter, readonly string[]])[] = [
      ['trace', some('span', named('book')), [traceId(1), traceId(2)]],
      ['trace', some('span', { all: [named('book'), named('find')] }), []],
      ['trace', { all: [some('span', named('book')), some('span', named('find'))] }, [traceId(1)]],
      ['trace', all('span', named('book')), [sessionId(2), traceId(2), traceId(3)]],
      ['trace', { not: some('span', named('book')) }, [sessionId(2), traceId(3)]],
      ['trace', { any: [some('span', named('find')), named('lone')] }, [sessionId(2), traceId(1)]],
      ['session', some('trace', named('lone')), []],
      ['session', all('trace', some('span', named('book'))), [sessionId(1), sessionId(3)]],
      ['session', some('trace', { not: some('span', named('book')) }), [sessionId(2)]],
    ];
    for (const [population, filter, ids] of cases) {
      expect(await found(population, filter), JSON.stringify(filter)).to.deep.equal(ids);
      expect(await records().count(scopeOf({ population, filter }))).to.equal(ids.length);
    }
  });

  it('match all of a span: long texts, metadata, whatever its time', async () => {
    await putRows(records(), rowsOfLevels());
    const text = { kind: 'text', caseSensitive: true } as const;
    const ends: Filter = { ...text, column: 'input', operator: 'ends_with', values: ['xneedle'] };
    const note: Filter = { ...text, column: 'user_metadata/k', operator: 'eq', values: ['v'] };
    expect(await found('trace', some('span', ends))).to.deep.equal([traceId(1)]);
    expect(await found('trace', some('span', note))).to.deep.equal([traceId(2)]);
    const filter = all('span', named('book'));
    const window = { from: noon, to: noon, filter: { all: [filter, some('span', note)] } };
    expect(await records().count(scopeOf(window))).to.equal(1);
    const mixed = { ...window, filter: { not: filter } };
    expect(await records().count(scopeOf(mixed))).to.equal(1);
  });

  it('aggregate the records that match, and their errors', async () => {
    await putRows(records(), rowsOfLevels());
    const widgets = [
      { id: 'w', metric: 'cost', aggregation: 'P50', type: 'floating_point' },
    ] as const;
    const cell = async (filter: Filter) =>
      records().aggregate(aggregateOf({ filter, widgets, groupBy: [groupKey('name')] }));
    const left = await cell(some('span', named('find')));
    expect(left).to.deep.nested.include({ 'total.requests': 1, 'total.spans': 2 });
    expect(left).to.deep.include({ errors: [{ code: 7, message: 'no' }] });
    const others = await cell({ not: some('span', named('find')) });
    expect(others).to.deep.nested.include({ 'total.requests': 3, 'total.sessions': 2 });
    expect(others).to.deep.include({ errors: [] });
  });
};
