import { expect } from 'chai';
import * as fc from 'fast-check';
import type { Criterion } from '../../contract/experiment-ranking.js';
import { progressOf } from '../../query-api/experiments/aggregates.js';
import { isWinner, rankScope, roundScore } from '../../query-api/experiments/ranking.js';
import { referenceRanking } from '../support/reference-ranking.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';

const higher: Criterion = { metric: 'reward', weight: 1, direction: 'higher' };
const lower: Criterion = { metric: 'cost', weight: 3, direction: 'lower' };

const scoresOf = (
  averages: readonly (readonly (number | null)[])[],
  criteria: readonly Criterion[] = [higher, lower],
): readonly (readonly [number, number] | null)[] => {
  const scope = rankScope(averages, criteria);
  return averages.map((values) => {
    const one = scope.rankOf(values);
    return one === null ? null : [one.score, one.rank];
  });
};

describe('ranking experiments', () => {
  it('weighs each criterion between the least and the greatest average', () =>
    expect(
      scoresOf([
        [0, 10],
        [1, 20],
        [0.5, 15],
      ]),
    ).to.deep.equal([
      [0.75, 1],
      [0.25, 3],
      [0.5, 2],
    ]));

  it('scores 0 for a criterion without a value, and ranks nothing without any', () =>
    expect(
      scoresOf([
        [1, null],
        [null, null],
        [0, 5],
      ]),
    ).to.deep.equal([[0.25, 2], null, [0.75, 1]]));

  it('scores the full weight when there is a single value, in either direction', () =>
    expect(
      scoresOf([
        [7, 7],
        [7, 7],
      ]),
    ).to.deep.equal([
      [1, 1],
      [1, 1],
    ]));

  it('shares a rank among ties, and skips as many after them', () =>
    expect(scoresOf([[0.42], [0.44], [0.4], [0.42]], [higher])).to.deep.equal([
      [0.5, 2],
      [1, 1],
      [0, 4],
      [0.5, 2],
    ]));

  it('ignores differences in the last bits of averages', () => {
    const sums = [0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1];
    expect(sums[0]).not.to.equal(sums[1]);
    expect(
      scoresOf(
        sums.map((sum) => [sum / 3]),
        [higher],
      ),
    ).to.deep.equal([
      [1, 1],
      [1, 1],
    ]);
  });

  it('stays finite where the difference of two averages overflows', () =>
    expect(scoresOf([[-1.7e308], [1.7e308], [0]], [higher])).to.deep.equal([
      [0, 3],
      [1, 1],
      [0.5, 2],
    ]));

  it('rounds to twelve decimals, half to even', () => {
    expect(roundScore(1 / 3)).to.equal(0.333333333333);
    expect(roundScore(2 ** -13)).to.equal(0.000122070312);
    expect(roundScore(0.5 / 1e12)).to.equal(0);
    expect(roundScore(1.5 / 1e12)).to.equal(2e-12);
    expect(roundScore(1)).to.equal(1);
  });

  it('agrees with a direct reading of the rules, for generated averages', () => {
    // Far enough apart to be different averages, whatever was added in which order.
    const thousandths = (min: number, max: number) =>
      fc.integer({ min, max }).map((number) => number / 1_000);
    const average = fc.option(fc.oneof(fc.integer({ min: -5, max: 5 }), thousandths(-1e9, 1e9)));
    const criterion = (at: number) =>
      fc.record({
        metric: fc.constant(`m${at}`),
        weight: fc.oneof(fc.integer({ min: 1, max: 5 }), thousandths(10, 1e9)),
        direction: fc.constantFrom('higher' as const, 'lower' as const),
      });
    fc.assert(
      fc.property(
        fc.tuple(criterion(0), criterion(1), criterion(2)),
        fc.array(fc.tuple(average, average, average), { maxLength: 12 }),
        (criteria, averages) => {
          const scope = rankScope(averages, criteria);
          const naive = referenceRanking(
            averages.map((values, at) => ({
              id: String(at),
              scope: 'one',
              values: Object.fromEntries(
                values.flatMap((value, place) => (value === null ? [] : [[`m${place}`, [value]]])),
              ),
            })),
            criteria,
          );
          for (const [id, { ranking_score: score, rank, winner }] of naive) {
            const own = scope.rankOf(averages[Number(id)]);
            if (score === null) expect(own).to.equal(null);
            else expect(own?.score).to.be.closeTo(score, 2e-12);
            // A difference in the last decimal may change a rank between two that round apart.
            const isClear = [...naive.values()].every(
              (other) =>
                other.ranking_score === score ||
                Math.abs((other.ranking_score ?? 9) - (score ?? 9)) > 1e-11,
            );
            if (!isClear) continue;
            expect(own?.rank ?? null).to.equal(rank);
            expect(isWinner(id, own, null, scope)).to.equal(winner);
          }
        },
      ),
      { seed: drawSeed(), numRuns: runs(300) },
    );
  });
});

describe('the winner of a scope', () => {
  const scope = rankScope([[1], [0]], [higher]);
  const ranks = { a: [1], b: [0], 'no score': [null] };
  const winners = (chosen: string | null, best = 1) =>
    Object.entries(ranks).map(([run, values]) =>
      isWinner(run, scope.rankOf(values), chosen, { best }),
    );

  it('counts the experiments that share rank 1', () => {
    expect(scope.best).to.equal(1);
    expect(rankScope([[1], [0], [1], [null]], [higher]).best).to.equal(2);
    expect(rankScope([[null]], [higher]).best).to.equal(0);
  });
  it('is the only one of rank 1', () => expect(winners(null)).to.deep.equal([true, false, null]));
  it('does not exist when several share rank 1', () =>
    expect(winners(null, 2)).to.deep.equal([false, false, null]));
  it('is the chosen one, whatever its rank', () =>
    expect(winners('b')).to.deep.equal([false, true, null]));
  it('may be chosen without a score', () =>
    expect(winners('no score')).to.deep.equal([false, false, true]));
});

describe('the progress of an experiment', () => {
  const measures = (traces: number, complete: number) => ({ traces, complete, metrics: {} });
  it('counts complete traces per dataset row, or per trace, in whole percent', () => {
    expect(progressOf(undefined, 5)).to.equal(0);
    expect(progressOf(measures(3, 2), null)).to.equal(66);
    expect(progressOf(measures(3, 2), 50)).to.equal(4);
    expect(progressOf(measures(9, 9), 5)).to.equal(100);
    expect(progressOf(measures(1, 0), 0)).to.equal(0);
    expect(progressOf(measures(1, 1), 0)).to.equal(100);
  });
});
