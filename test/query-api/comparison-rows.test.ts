import { expect } from 'chai';
import * as fc from 'fast-check';
import type { RunRow } from '../../kernel/records/run-rows.js';
import type { Instant } from '../../kernel/schema-types.js';
import { chooseRows, type RowOrder } from '../../query-api/experiments/comparison-rows.js';
import type { RowCells } from '../../query-api/experiments/comparison-table.js';
import { drawSeed } from '../support/test-environment.js';

const shows = ['losses', 'wins', 'ties', 'missing', 'all'] as const;
const orders = ['difference', 'created_at'] as const;

/** One row whose experiments have these values of the second metric; undefined: no trace. */
const rowOf = (name: number, values: readonly (number | null | undefined)[]): RowCells =>
  values.map((value, run): RunRow | null =>
    value === undefined
      ? null
      : {
          run: String(run),
          row: String(name),
          traces: 1,
          first: '2026-03-01T00:00:00.000000Z' as Instant,
          newest: 't',
          failed: false,
          means: [9, value],
        },
  );
const nameOf = (cells: RowCells): string | null => cells.find((cell) => cell !== null)?.row ?? null;

/** Few values, so that ties and missing ones are frequent; two differ by a rounding error. */
const value = fc.constantFrom(undefined, null, 0, 1, 2, 0.3, 0.1 + 0.2, -1, 1e308, -1e308);
const table = fc
  .integer({ min: 2, max: 4 })
  .chain((experiments) =>
    fc.array(fc.array(value, { minLength: experiments, maxLength: experiments })),
  );

type Outcome = { readonly name: string; readonly differences: readonly (number | null)[] };

/** Differences as contract 5.5 defines them, turned so that a win is above 0. */
const outcomeOf = (
  name: number,
  [own, ...others]: readonly (number | null | undefined)[],
  direction: RowOrder['direction'],
): Outcome => ({
  name: String(name),
  differences: others.map((other) => {
    if (own === null || own === undefined || other === null || other === undefined) return null;
    if (Math.abs(other - own) <= 1e-12 * Math.max(Math.abs(own), Math.abs(other))) return 0;
    return direction === 'higher' ? other - own : own - other;
  }),
});

/** Naive choice: the next row is the best of those that are left, the first one of equal ones. */
const naiveRows = (outcomes: readonly Outcome[], { show, order }: RowOrder): readonly string[] => {
  const has = {
    losses: (one: number | null) => one !== null && one < 0,
    wins: (one: number | null) => one !== null && one > 0,
    ties: (one: number | null) => one === 0,
    missing: (one: number | null) => one === null,
    all: () => true,
  }[show];
  const left = outcomes.filter(({ differences }) => differences.some(has));
  if (order === 'created_at') return left.map(({ name }) => name);
  const keyOf = ({ differences }: Outcome): number => {
    const known = differences.filter((one) => one !== null).sort((one, other) => one - other);
    const [least] = known;
    if (least === undefined) return Infinity;
    return show === 'wins' ? -(known.at(-1) ?? 0) : least;
  };
  const found: string[] = [];
  while (left.length > 0) {
    let best = 0;
    for (const at of left.keys()) {
      if (keyOf(left[at] as Outcome) < keyOf(left[best] as Outcome)) best = at;
    }
    found.push(...left.splice(best, 1).map(({ name }) => name));
  }
  return found;
};

describe('rows of a comparison by a metric', () => {
  it('chooses and orders rows as a naive computation does', () => {
    fc.assert(
      fc.property(
        table,
        fc.constantFrom(...shows),
        fc.constantFrom(...orders),
        fc.constantFrom('higher' as const, 'lower' as const),
        (values, show, order, direction) => {
          const choice = { metric: 1, show, order, direction };
          const traced = values.map((row) =>
            row.map((one, at) => (at === 0 ? (one ?? null) : one)),
          );
          const rows = traced.map((row, name) => rowOf(name, row));
          const outcomes = traced.map((row, name) => outcomeOf(name, row, direction));
          expect(chooseRows(rows, choice).map(nameOf)).to.deep.equal(naiveRows(outcomes, choice));
        },
      ),
      { seed: drawSeed('rows of a comparison'), numRuns: 500 },
    );
  });

  it('keeps all rows as they are without a choice', () => {
    const rows = [rowOf(1, [1, 2]), rowOf(2, [2, 1])];
    expect(chooseRows(rows, null)).to.equal(rows);
  });

  it('takes every row as missing when the metric has no value in the project', () => {
    const rows = [rowOf(1, [1, 2]), rowOf(2, [2, 1])];
    const choice = { metric: null, order: 'difference', direction: 'higher' } as const;
    expect(chooseRows(rows, { ...choice, show: 'missing' })).to.deep.equal(rows);
    expect(chooseRows(rows, { ...choice, show: 'losses' })).to.deep.equal([]);
  });
});
