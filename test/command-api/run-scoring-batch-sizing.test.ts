import { expect } from 'chai';
import { scoringBudgets as budgets } from '../../command-api/run-scoring/budgets.js';
import {
  sizingAfterAbort,
  sizingAfterScores,
  processResults,
  initialSizing,
  type BatchSizing,
} from '../../command-api/run-scoring/batch-sizing.js';
import type { ScorerFaultKind } from '../../kernel/sandbox.js';

const sizeOf = ({ next, atOnce }: BatchSizing): number => next ?? atOnce;

/** Cost of a scorer until it backs off, when each of its processes ends like that. */
const untilRest = (kind: ScorerFaultKind, placeOf: (count: number) => number | null) => {
  let trial = initialSizing(budgets);
  let [processes, spentMs] = [0, 0];
  while (trial.backoffs === 0 && processes < 10_000) {
    const count = sizeOf(trial);
    processes += 1;
    spentMs += count === 1 ? budgets.recordMs : budgets.batchMs;
    trial = sizingAfterAbort(trial, { kind, place: placeOf(count), count }, 0, budgets);
  }
  return { processes, spentMs };
};

describe('a scorer that fails on every record', () => {
  it('costs at most 90 s and one batch, whichever record it reports', () => {
    for (const placeOf of [
      (count: number) => count - 1,
      (count: number) => Math.max(0, count - 2),
      () => 0,
      () => null,
    ]) {
      expect(untilRest('time', placeOf).spentMs).to.be.at.most(budgets.vainMs + budgets.recordMs);
    }
    expect(untilRest('crashed', () => 0).processes).to.equal(90);
  });

  it('backs off exponentially, an hour at most, until it scores again', () => {
    let trial = { ...initialSizing(budgets), vainMs: budgets.vainMs };
    const rests: number[] = [];
    for (let at = 0; at < 9; at += 1) {
      trial = sizingAfterAbort(trial, { kind: 'time', place: 0, count: 500 }, 1_000, budgets);
      rests.push((trial.backoffUntil - 1_000) / 60_000);
    }
    expect(rests).to.deep.equal([1, 2, 4, 8, 16, 32, 60, 60, 60]);
    trial = sizingAfterScores(trial, { count: 500, tookMs: 400 }, budgets);
    expect(trial).to.deep.equal(initialSizing(budgets));
  });
});

describe('a scorer that needs more time than a batch has', () => {
  it('gets batches that fit its time', () => {
    const eachMs = 100;
    let trial = initialSizing(budgets);
    let [scored, spentMs] = [0, 0];
    while (scored < 2_000) {
      const count = sizeOf(trial);
      const tookMs = count * eachMs;
      const fits = tookMs < (count === 1 ? budgets.recordMs : budgets.batchMs);
      spentMs += fits ? tookMs : budgets.batchMs;
      if (fits) scored += count;
      const place = Math.floor(budgets.batchMs / eachMs);
      trial = fits
        ? sizingAfterScores(trial, { count, tookMs }, budgets)
        : sizingAfterAbort(trial, { kind: 'time', place, count }, 0, budgets);
      expect(trial.backoffs).to.equal(0);
    }
    expect(spentMs).to.be.at.most(2_000 * eachMs * 1.25);
  });
});

describe('one record at fault', () => {
  const fault = 321;
  for (const kind of ['time', 'memory', 'output', 'crashed'] as const) {
    it(`is found among 500 innocent ones: ${kind}`, () => {
      let open = Array.from({ length: 500 }, (_, record) => record);
      let trial = initialSizing(budgets);
      let processes = 0;
      let blamed = -1;
      while (open.length > 0) {
        const some = open.slice(0, sizeOf(trial));
        const place = some.indexOf(fault);
        processes += 1;
        if (place === -1) {
          trial = sizingAfterScores(trial, { count: some.length, tookMs: 400 }, budgets);
          open = open.slice(some.length);
          continue;
        }
        const verdict = { verdict: 'invalid', kind, message: 'm', step: place } as const;
        const { made, cut } = processResults(verdict, some.length);
        for (const at of made.keys()) blamed = some[at] ?? -1;
        open = open.filter((record) => record !== blamed);
        if (cut !== null) trial = sizingAfterAbort(trial, cut, 0, budgets);
        expect(trial.backoffs).to.equal(0);
      }
      expect(blamed).to.equal(fault);
      expect(processes).to.be.at.most(20);
    });
  }
});

describe('a score of text', () => {
  it('becomes an error when too long for an event', () => {
    const score = { step: 0, node_type: 'trace', error: null } as const;
    const found = processResults(
      {
        verdict: 'valid',
        score_type: 'str',
        scoreable_node_types: ['trace'],
        chain_aggregation: null,
        scores: [
          { ...score, score: 'x'.repeat(300_001) },
          { ...score, step: 1, score: 'y' },
        ],
        aggregates: {},
      },
      2,
    );
    expect(found.made.get(0)).to.include({ code: 1_003 });
    expect(found.made.get(1)).to.deep.equal({ score: 'y' });
  });
});
