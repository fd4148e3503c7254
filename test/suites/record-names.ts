import { expect } from 'chai';
import { columnNamesMax } from '../../kernel/records/column-names.js';
import type { Filter } from '../../kernel/filter.js';
import type { Records } from '../../kernel/records/records.js';
import type { RecordRow } from '../../kernel/records/record.js';
import { uuid } from '../support/record-generators.js';
import {
  aggregateOf,
  idsOf,
  put,
  putRows,
  scopeOf,
  searchOf,
  traceId,
  traceRow,
} from '../support/record-rows.js';

const nameOf = (at: number): string => `name-${String(at).padStart(5, '0')}`;
const other = uuid(1, 2);
/** Names of one record, which exceed the bound by 200 in all. */
const namesOfOne = 200;
const traces = columnNamesMax / namesOfOne + 1;
const places = Array.from({ length: namesOfOne }, (_, at) => at);

/** A trace with names of its own: the later ones come first in it, so that only `first` orders. */
const named = (at: number): RecordRow => {
  const names = places.map((place) => nameOf(at * namesOfOne + place));
  const metric = (value: number, place: number) => ({
    value,
    rolledUp: false,
    first: {
      at: `${at} ${String(place).padStart(5, '0')}`,
      type: 'integer' as const,
      fraction: false,
    },
  });
  return traceRow(at, {
    metrics: Object.fromEntries(
      [...names.entries()].reverse().map(([place, name]) => [name, metric(at, place)]),
    ),
    userMetadata: Object.fromEntries(names.map((name) => [name, 'value'])),
    errors: Object.fromEntries(names.map((name) => [name, { code: 500, message: name }])),
  });
};
const rows = Array.from({ length: traces }, (_, at) => named(at));
const lastColumn = nameOf(columnNamesMax - 1);
const firstBeyond = nameOf(columnNamesMax);

/** Unbounded names of a tenant (contract 1.11). */
export const recordNameSuite = (records: () => Records, reopen: () => Promise<void>): void => {
  const having = (column: string): Promise<number> => {
    const filter: Filter = column.startsWith('metrics/')
      ? { kind: 'number', column, operator: 'gte', values: [0] }
      : { kind: 'text', column, operator: 'eq', values: ['value'], caseSensitive: true };
    return records().count(scopeOf({ filter }));
  };
  const errorsOf = async (metric: string): Promise<number> => {
    const widget = { id: 'w', metric, aggregation: 'Average' as const, type: 'integer' as const };
    const answer = await records().aggregate(aggregateOf({ widgets: [widget] }));
    return 'refused' in answer ? -1 : answer.errors.length;
  };

  it('have the first names of a project as columns, later ones only in rows', async () => {
    for (const row of rows) await putRows(records(), [row]);
    const { metrics, userMetadata } = await records().columns(scopeOf());
    const first = Array.from({ length: columnNamesMax }, (_, at) => nameOf(at));
    expect(metrics).to.deep.equal(first);
    expect(userMetadata).to.deep.equal(first);
    const check = async (): Promise<void> => {
      for (const kind of ['metrics', 'user_metadata']) {
        expect(await having(`${kind}/${lastColumn}`)).to.equal(1);
        expect(await having(`${kind}/${firstBeyond}`)).to.equal(0);
      }
      const types = await records().metricTypes(scopeOf().project, [lastColumn, firstBeyond]);
      expect([...types]).to.deep.equal([[lastColumn, 'integer']]);
      expect([await errorsOf(lastColumn), await errorsOf(firstBeyond)]).to.deep.equal([1, 0]);
    };
    await check();
    const last = named(traces - 1);
    expect((await records().rowsByGroup([last.group])).get(last.group)).to.deep.equal([last]);
    await reopen();
    await check();
  });

  it('make columns for many records that each have their own names', async () => {
    const names = Array.from({ length: 900 }, (_, at) => nameOf(at));
    const own = names.map((name, at) =>
      traceRow(at, { userMetadata: { [name]: at % 3 === 0 ? '' : 'value' } }),
    );
    await putRows(records(), own);
    const shown = names.filter((_, at) => at % 3 !== 0);
    expect((await records().columns(scopeOf())).userMetadata).to.deep.equal(shown);
  });

  it('choose among the names of one batch by log order, whatever the batches', async () => {
    await putRows(records(), [...rows].reverse());
    const { metrics } = await records().columns(scopeOf());
    expect(metrics).to.have.length(columnNamesMax);
    expect(metrics.at(-1)).to.equal(lastColumn);
    // A replay in other batches is the same to `verify`, and has the same columns.
    const beside = await records().shadow();
    const { model } = beside;
    for (const row of rows) await putRows(model, [row]);
    expect(await Array.fromAsync(model.dump())).to.deep.equal(
      await Array.fromAsync(records().dump()),
    );
    expect((await model.columns(scopeOf())).metrics).to.deep.equal(metrics);
    await beside.discard();
  });

  it('sort by names that are columns, and ignore other names', async () => {
    for (const row of rows) await putRows(records(), [row]);
    const late = traceRow(90, {
      metrics: {
        [lastColumn]: { value: 9, rolledUp: false },
        [firstBeyond]: { value: 9, rolledUp: false },
        toxicity: { value: 0.5, rolledUp: false },
      },
    });
    await putRows(records(), [late]);
    const by = (column: string, ascending: boolean) =>
      records().search(searchOf({ sort: { column, ascending }, limit: 2 }));
    const last = await by(`metrics/${lastColumn}`, true);
    expect(idsOf(last.rows)).to.deep.equal([traceId(traces - 2), traceId(90)]);
    expect(await having('metrics/toxicity')).to.equal(1);
    expect(await having(`metrics/${lastColumn}`)).to.equal(2);
    const beyond = await by(`metrics/${firstBeyond}`, true);
    expect(beyond.rows).to.deep.equal((await by('id', false)).rows);
  });

  it('count names per project, and drop them with the project', async () => {
    for (const row of rows) await putRows(records(), [row]);
    const elsewhere = traceRow(91, {
      values: { project_id: other, run_id: uuid(2, 2) },
      userMetadata: { [firstBeyond]: 'value' },
    });
    await putRows(records(), [elsewhere]);
    const keys = async () => (await records().columns(scopeOf({ project: other }))).userMetadata;
    expect(await keys()).to.deep.equal([firstBeyond]);
    await put(records(), { deletedProjects: [scopeOf().project] });
    await reopen();
    expect((await records().columns(scopeOf())).userMetadata).to.deep.equal([]);
    expect(await keys()).to.deep.equal([firstBeyond]);
    const third = uuid(1, 3);
    const { values, ...again } = named(0);
    await putRows(records(), [{ ...again, values: { ...values, project_id: third } }]);
    const found = await records().columns(scopeOf({ project: third }));
    expect(found.metrics).to.have.length(namesOfOne);
    expect(await keys()).to.deep.equal([firstBeyond]);
  });
};
