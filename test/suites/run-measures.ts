import { expect } from 'chai';
import * as fc from 'fast-check';
import { metricTypes } from '../../kernel/records/reference/aggregate.js';
import { registryType } from '../../kernel/records/column-value.js';
import { metricRegistry } from '../../kernel/records/columns.js';
import type { Records } from '../../kernel/records/records.js';
import { categoriesMax } from '../../kernel/records/query-plans.js';
import type { RecordRow } from '../../kernel/records/record.js';
import { runAverages, runMeasures } from '../../kernel/records/reference/run-measures.js';
import type { TypedMetric } from '../../kernel/records/measures.js';
import { drawSeed } from '../support/test-environment.js';
import { metricNames, projects, recordGroups, runIds, uuid } from '../support/record-generators.js';
import {
  aggregateOf,
  groupsOf,
  project,
  put,
  putRows,
  run,
  sessionRow,
  traceRow,
} from '../support/record-rows.js';

/** Measures of whole runs, for comparisons of experiments. */
export const runMeasureSuite = (records: () => Records): void => {
  it('measure runs as the reference does, whatever was recorded', async () => {
    const seed = drawSeed();
    const [groups = []] = fc.sample(recordGroups(150), { seed, numRuns: 1 });
    const rows = groups.flat();
    await putRows(records(), rows);
    for (const one of projects) {
      const own = rows.filter(({ values }) => values['project_id'] === one);
      const types = metricTypes(own);
      const asked = [...runIds, uuid(2, 99), 'no uuid'];
      const measured = await records().runMeasures(one, asked);
      expectClose(Object.fromEntries(measured), measuresOf(own, types), `seed ${seed}`);
      const metrics = [...metricNames, ...metricRegistry.map(({ name }) => name)].flatMap(
        (metric): readonly TypedMetric[] => {
          const type = registryType(metric) ?? types.get(metric);
          return type === undefined ? [] : [{ metric, type }];
        },
      );
      for (const runs of [null, runIds.slice(0, 1), []]) {
        const found = await records().runAverages(one, metrics, runs);
        const wanted = runs === null ? own : own.filter(isOfRun(runs));
        const expected = Object.fromEntries(runAverages(wanted, metrics));
        expectClose(Object.fromEntries(found), expected, `seed ${seed}`);
      }
    }
  }).timeout(60_000);

  it('take percentiles of a run at the nearest rank, for any number of values', async () => {
    const runAt = (count: number): string => uuid(2, 100 + count);
    const rows = Array.from({ length: 40 }, (_, at) =>
      Array.from({ length: at + 1 }, (__, value) =>
        traceRow(at * 100 + value, {
          values: { run_id: runAt(at + 1) },
          metrics: { cost: { value: value + 1, rolledUp: false } },
        }),
      ),
    ).flat();
    await putRows(records(), rows);
    const runs = Array.from({ length: 40 }, (_, at) => runAt(at + 1));
    const measured = await records().runMeasures(project, runs);
    for (let count = 1; count <= 40; count += 1) {
      const [p50, p90, p95, p99] = [50, 90, 95, 99].map((share) =>
        Math.ceil((share * count) / 100),
      );
      const found = measured.get(runAt(count))?.metrics['cost'];
      expect(found).to.deep.include({ count, min: 1, max: count, p50, p90, p95, p99 });
    }
  });

  it('show in an integer metric what was rolled up, even with a fraction', async () => {
    const first = { at: '1', type: 'integer', fraction: false } as const;
    const cells: readonly RecordRow['metrics'][string][] = [
      { value: 3, rolledUp: false, first },
      { value: 1.5, rolledUp: true },
      { value: 'none', rolledUp: false, rollUp: 0.25, first: { ...first, at: '2', type: 'text' } },
    ];
    await putRows(
      records(),
      cells.map((steps, at) => traceRow(at + 1, { metrics: { steps } })),
    );
    const measured = await records().runMeasures(project, [run]);
    expect(measured.get(run)?.metrics['steps']).to.deep.include({ count: 3, min: 0.25, max: 3 });
    const metrics: readonly TypedMetric[] = [{ metric: 'steps', type: 'integer' }];
    const averages = await records().runAverages(project, metrics, null);
    expect([...averages]).to.deep.equal([[run, [4.75 / 3]]]);
  });

  it('have neither sums nor averages beyond doubles, which JSON lacks', async () => {
    const most = Number.MAX_VALUE;
    const cost = { cost: { value: most, rolledUp: false } };
    await putRows(records(), [traceRow(1, { metrics: cost }), traceRow(2, { metrics: cost })]);
    const measured = await records().runMeasures(project, [run]);
    const numbers = { count: 2, min: most, max: most, p50: most, p99: most };
    expect(measured.get(run)?.metrics['cost']).to.deep.include({ sum: null, ...numbers });
    const target = { metric: 'cost', type: 'floating_point' } as const;
    expect((await records().runAverages(project, [target], null)).size).to.equal(0);
    const rows = await records().runRows({ project, runs: [run], metrics: [target] });
    expect(rows?.map(({ means }) => means)).to.deep.equal([[null]]);
    const widgets = (['Sum', 'Average', 'Max'] as const).map((aggregation) => {
      return { ...target, id: aggregation, aggregation };
    });
    const answer = await records().aggregate(aggregateOf({ widgets }));
    expect(answer).to.have.deep.nested.property('total.widgets', {
      Sum: null,
      Average: null,
      Max: most,
    });
  });

  it('count the sessions of a run without traces', async () => {
    await putRows(records(), [sessionRow(1)]);
    expect([...(await records().runMeasures(project, [run]))]).to.deep.equal([
      [run, { traces: 0, complete: 0, spans: 0, sessions: 1, metrics: Object.create(null) }],
    ]);
  });

  it('return no runs of another project', async () => {
    await putRows(records(), [traceRow(1)]);
    expect([...(await records().runMeasures(uuid(1, 77), [run]))]).to.deep.equal([]);
    expect([...(await records().runAverages(uuid(1, 77), [], null))]).to.deep.equal([]);
  });

  it('count the categories of a text up to a limit', async () => {
    const text = (at: number, value: string): RecordRow =>
      traceRow(at, {
        values: { run_id: at <= categoriesMax ? run : uuid(2, 2) },
        metrics: {
          verdict: {
            value,
            rolledUp: false,
            first: { at: String(at).padStart(9, '0'), type: 'text', fraction: false },
          },
        },
      });
    const many = Array.from({ length: 2 * categoriesMax + 1 }, (_, at) => text(at + 1, `v${at}`));
    await putRows(records(), many);
    const measured = await records().runMeasures(project, [run, uuid(2, 2)]);
    const [few, crowded] = [run, uuid(2, 2)].map((one) => measured.get(one)?.metrics['verdict']);
    expect(few).to.include({ kind: 'text', count: categoriesMax });
    expect(Object.keys(few?.kind === 'text' ? (few.counts ?? {}) : {})).to.have.length(
      categoriesMax,
    );
    expect(crowded).to.deep.equal({ kind: 'text', count: categoriesMax + 1, counts: null });
  });

  it('include every run whose traces changed since the last query', async () => {
    const [other, still] = [uuid(2, 2), uuid(2, 3)];
    const at = (number: number, runId: string) => traceRow(number, { values: { run_id: runId } });
    await putRows(records(), [at(1, run), at(2, other), at(3, still)]);
    const changed = async (token: string): Promise<string> => {
      const answer = await records().changedRuns(project, token);
      // An engine may always say that any run may have changed.
      if (answer.runs !== null) seen.push([...answer.runs].sort());
      return answer.token;
    };
    const seen: string[][] = [];
    const first = await records().changedRuns(project, null);
    expect(first.runs).to.equal(null);
    const second = await changed(first.token);
    await put(records(), {
      groups: [...groupsOf([at(4, run)]), { group: at(2, other).group, fresh: false, rows: [] }],
    });
    const third = await changed(second);
    await changed(third);
    await changed(first.token);
    if (seen.length > 0) {
      expect(seen).to.deep.equal([[], [run, other].sort(), [], [run, other].sort()]);
    }
  });
};

const isOfRun =
  (runs: readonly string[]) =>
  ({ values }: RecordRow): boolean =>
    runs.includes(String(values['run_id']));

const measuresOf = (rows: readonly RecordRow[], types: ReturnType<typeof metricTypes>): object =>
  Object.fromEntries(
    runIds
      .map((one) => [one, runMeasures(rows.filter(isOfRun([one])), types)] as const)
      .filter(([, { traces, sessions }]) => traces + sessions > 0),
  );

/** Sums and averages may differ in their last bits by the order of adding; all else is exact. */
const expectClose = (found: unknown, expected: unknown, message: string): void => {
  const settled = (one: unknown, other: unknown): unknown => {
    if (typeof one === 'number' && typeof other === 'number') {
      return Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(other)) ? other : one;
    }
    if (Array.isArray(one) && Array.isArray(other)) {
      return one.map((item, at) => settled(item, other[at]));
    }
    if (!isObject(one) || !isObject(other)) return one;
    return Object.fromEntries(
      Object.entries(one).map(([name, value]) => [name, settled(value, other[name])]),
    );
  };
  expect(plain(settled(found, expected)), message).to.deep.equal(plain(expected));
};
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
