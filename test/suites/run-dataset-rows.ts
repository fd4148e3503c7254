import { createHash } from 'node:crypto';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { byCodePoint } from '../../kernel/code-points.js';
import { metricTypes } from '../../kernel/records/reference/aggregate.js';
import { runRows } from '../support/reference-run-rows.js';
import { registryType } from '../../kernel/records/column-value.js';
import { metricRegistry } from '../../kernel/records/columns.js';
import type { Records } from '../../kernel/records/records.js';
import { runRowsMax, type RunRow, type RunRowsPlan } from '../../kernel/records/run-rows.js';
import type { MetricType, RecordRow } from '../../kernel/records/record.js';
import type { TypedMetric } from '../../kernel/records/measures.js';
import { drawSeed } from '../support/test-environment.js';
import { metricNames, projects, recordGroups, runIds, uuid } from '../support/record-generators.js';
import { project, putRows, run, traceId, traceRow } from '../support/record-rows.js';

/** Results of experiments on the rows of a dataset, for comparisons. */
export const runDatasetRowSuite = (records: () => Records): void => {
  const asked = async (plan: RunRowsPlan): Promise<readonly RunRow[]> => {
    const found = await records().runRows(plan);
    if (found === null) throw new Error('more rows than the test put there');
    return found;
  };

  it('return runs row by row as the reference does, whatever was recorded', async () => {
    const seed = drawSeed();
    const [groups = []] = fc.sample(recordGroups(150), { seed, numRuns: 1 });
    const statuses = [200, 399, null, 400, 500];
    const inputs = ['', 'in', 'out', 'x'.repeat(5_000), `${'x'.repeat(5_000)}y`];
    const rows = groups.flat().map((row, at): RecordRow => {
      if (row.kind !== 'trace') return row;
      const dataset_input = inputs[at % inputs.length] ?? '';
      const userMetadata = at % 3 === 0 ? { dataset_row_id: at % 2 === 0 ? 'in' : '' } : {};
      const status_code = statuses[at % statuses.length] ?? null;
      const values = { ...row.values, dataset_input, status_code };
      return { ...row, values, userMetadata: { ...row.userMetadata, ...userMetadata } };
    });
    await putRows(records(), rows);
    for (const one of projects) {
      const types = metricTypes(rows.filter(({ values }) => values['project_id'] === one));
      const metrics = measurable(types);
      for (const runs of [[...runIds, uuid(2, 99), 'no uuid'], runIds.slice(0, 1), []]) {
        const plan = { project: one, runs, metrics };
        const expected = runRows(rows, plan).map(withHashes);
        expectSame(await asked(plan), expected, `seed ${seed}`);
      }
    }
  }).timeout(60_000);

  it('match rows by the id that metadata names, else by the input', async () => {
    const other = uuid(2, 2);
    const at = (number: number, run_id: string, dataset_input: string, id?: string) =>
      traceRow(number, {
        values: { run_id, dataset_input },
        userMetadata: id === undefined ? {} : { dataset_row_id: id },
        metrics: { cost: { value: number, rolledUp: false } },
      });
    await putRows(records(), [
      at(1, run, 'a', 'row'),
      at(2, other, 'b', 'row'),
      at(3, run, 'c'),
      at(5, run, 'c', ''),
      at(4, other, 'c'),
      at(6, other, ''),
    ]);
    const metrics: readonly TypedMetric[] = [{ metric: 'cost', type: 'floating_point' }];
    const found = await asked({ project, runs: [run, other], metrics });
    const keys = [...new Set(found.map(({ row }) => row))];
    const byRow = keys.map((key) =>
      found
        .filter(({ row }) => row === key)
        .toSorted((one, two) => byCodePoint(one.newest, two.newest))
        .map(({ newest, traces, means }) => [newest, traces, ...means]),
    );
    expect(byRow).to.have.deep.members([
      [
        [traceId(1), 1, 1],
        [traceId(2), 1, 2],
      ],
      [
        [traceId(4), 1, 4],
        [traceId(5), 2, 4],
      ],
      [[traceId(6), 1, 6]],
    ]);
    expect(found.filter(({ row }) => row === null)).to.have.length(1);
  });

  it('return nothing of another project', async () => {
    await putRows(records(), [traceRow(1, { values: { dataset_input: 'a' } })]);
    expect(await asked({ project: uuid(1, 77), runs: [run], metrics: [] })).to.deep.equal([]);
    expect(runRowsMax).to.equal(100_000);
  });
};

const measurable = (types: ReadonlyMap<string, MetricType>): readonly TypedMetric[] =>
  [...metricNames, ...metricRegistry.map(({ name }) => name)].flatMap((metric) => {
    const type = registryType(metric) ?? types.get(metric) ?? 'text';
    return type === 'text' ? [] : [{ metric, type }];
  });

const withHashes = (one: RunRow): RunRow => ({
  ...one,
  row: one.row === null ? null : createHash('sha256').update(one.row).digest('hex'),
});

/** Means may differ in their last bits by the order of adding; all else is exact. */
const expectSame = (found: readonly RunRow[], expected: readonly RunRow[], message: string) => {
  const inOrder = (rows: readonly RunRow[]) => rows.toSorted((one, two) => byDatasetRow(one, two));
  const [own, wanted] = [inOrder(found), inOrder(expected)];
  const settled = own.map(({ means, ...one }, at) => ({
    ...one,
    means: means.map((mean, metric) => {
      const other = wanted[at]?.means[metric] ?? null;
      if (mean === null || other === null) return mean;
      return Math.abs(mean - other) <= 1e-9 * Math.max(1, Math.abs(other)) ? other : mean;
    }),
  }));
  expect(settled, message).to.deep.equal(wanted);
};
const byDatasetRow = (one: RunRow, other: RunRow): number =>
  byCodePoint(`${one.run} ${one.row}`, `${other.run} ${other.row}`);
