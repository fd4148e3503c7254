import { expect } from 'chai';
import * as fc from 'fast-check';
import type { Scorer, ScorerTask } from '../../clients/typescript/src/generated/scorers-types-2.js';
import type { PastScoringJob } from '../../clients/typescript/src/generated/scorers-types.js';
import type { TraceFields } from '../../clients/typescript/src/generated/traces-types-4.js';
import type { DiffPiece } from '../../console/engines/text-diff.js';
import { choiceOf, countsText, reasonsText } from '../../console/log-streams/model.js';
import { diffLinesOf } from '../../console/scorers/code-diff.js';
import { detailsChange, detailsOf } from '../../console/scorers/details.js';
import { faultPlace, placeText, saveObstacle, validationOf } from '../../console/scorers/model.js';
import { scoredRows, sortedRows } from '../../console/scorers/scored-row.js';
import { scoreSummary, summaryText } from '../../console/scorers/score-summary.js';
import { scorerCodec } from '../../console/scorers/state.js';
import { drawSeed } from '../support/test-environment.js';

describe('the result of a validation', () => {
  const place = (message: string) => {
    const found = faultPlace(message);
    return [placeText(found), found.headline];
  };

  it('names row and line of an exception, of the deepest frame of the file', () => {
    const message =
      'row 3: ValueError: it is (line 9)\nTraceback (most recent call last):\n' +
      '  File "scorer.py", line 5, in scorer_fn\n    return f(node_output)\n' +
      '  File "scorer.py", line 2, in f\n    raise ValueError("it is (line 9)")';
    expect(place(message)).to.deep.equal(['Row 4, line 2', 'ValueError: it is (line 9)']);
  });

  it('names the line of a syntax error, and neither where the file as a whole is at fault', () => {
    expect(place("SyntaxError: expected ':' (line 1)")).to.deep.equal([
      'Line 1',
      "SyntaxError: expected ':' (line 1)",
    ]);
    expect(place('the file defines no scorer_fn')).to.deep.equal([
      '',
      'the file defines no scorer_fn',
    ]);
    expect(place('row 0: TypeError: scorer_fn returned str, but it declares int')[0]).to.equal(
      'Row 1',
    );
  });

  it('allows saving only the text that was found valid', () => {
    const task = {
      status: 'completed',
      progress_percent: 100,
      result: { result: { result_type: 'valid', score_type: 'int', test_scores: [] } },
    } as unknown as ScorerTask;
    const valid = validationOf(task);
    const of = (text: string, validatedText: string | null, saved: string | null = 'old') =>
      saveObstacle({ text, saved, validation: valid, validatedText });
    expect(of('new', 'new')).to.equal(null);
    expect(of('newer', 'new')).to.equal('Validate this text first');
    expect(of('new', null)).to.equal('Validate this text first');
    expect(of('old', 'old')).to.equal('Nothing changed since the newest version');
    expect(of('first', 'first', null)).to.equal(null);
  });

  it('joins traces to rows by their name, and sorts by row or score', () => {
    const traceOf = (id: string, name: string, score: number) =>
      ({
        id,
        name,
        input: `in ${id}`,
        metrics: { registered_scorer_validation: score },
      }) as unknown as TraceFields;
    const scores = [10, 2, 7].map((row_index, score) => ({ node_type: 'llm', score, row_index }));
    const rows = scoredRows(scores, [
      traceOf('c', 'row 7', 2),
      traceOf('x', '', 5),
      traceOf('a', 'row 10', 0),
      traceOf('b', 'row 2', 1),
    ]);
    const shown = (some: typeof rows) => some.map(({ row, score, input }) => [row, score, input]);
    expect(shown(rows)).to.deep.equal([
      [2, 1, 'in b'],
      [7, 2, 'in c'],
      [10, 0, 'in a'],
      [null, 5, 'in x'],
    ]);
    const descending = sortedRows(rows, { column: 'score', ascending: false });
    expect(descending.map(({ score }) => score)).to.deep.equal([5, 2, 1, 0]);
  });
});

describe('a summary of scores', () => {
  it('puts each number into one bin that it is in, whatever the numbers are', () => {
    const numbers = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 });
    const whole = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 1 });
    fc.assert(
      fc.property(fc.oneof(numbers, whole), (scores) => {
        const { figures } = scoreSummary([...scores, null]);
        if (figures?.kind !== 'numbers') throw new Error('no figures');
        const { bins } = figures;
        expect(bins.length).to.be.within(1, 20);
        expect(bins.reduce((sum, { count }) => sum + count, 0)).to.equal(scores.length);
        expect(figures.mean).to.satisfy(Number.isFinite);
      }),
      { seed: drawSeed() },
    );
  });

  it('has a bin for each whole number where there are few, and counts other values', () => {
    const { figures } = scoreSummary([1, 3, 3]);
    expect(figures).to.deep.include({
      bins: [
        { from: 1, to: 1, count: 1 },
        { from: 2, to: 2, count: 0 },
        { from: 3, to: 3, count: 2 },
      ],
    });
    expect(summaryText(scoreSummary([1, 3, null]))).to.equal('3 scores · mean 2 · 1 None');
    expect(scoreSummary([true, false, true, null]).figures).to.deep.equal({
      kind: 'values',
      values: [
        { text: 'true', count: 2 },
        { text: 'false', count: 1 },
      ],
      others: 0,
    });
  });
});

describe('a comparison of code', () => {
  it('has every line of both texts once, with its number, folded or shown', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', ''), { minLength: 1, maxLength: 20 });
    const piece = fc.record({ kind: fc.constantFrom('same', 'removed', 'added'), lines });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (drawn) => {
        const pieces = drawn.map((one): DiffPiece => ({
          kind: one.kind,
          text: one.lines.map((line) => `${line}\n`).join(''),
        }));
        for (const side of ['before', 'after'] as const) {
          const absent = side === 'before' ? 'added' : 'removed';
          const expected = pieces
            .filter(({ kind }) => kind !== absent)
            .flatMap(({ text }) => text.slice(0, -1).split('\n'));
          let number = 0;
          for (const line of diffLinesOf(pieces)) {
            if (line.kind === 'folded') number += line.lines;
            else if (line.kind !== absent) {
              number += 1;
              expect([line[side], line.text]).to.deep.equal([number, expected[number - 1]]);
            }
          }
          expect(number).to.equal(expected.length);
        }
      }),
      { seed: drawSeed() },
    );
  });
});

describe('the pages of scorers and log streams', () => {
  it('read from an address what was written into it', () => {
    const count = fc.nat({ max: 1_000 });
    const version = fc.option(fc.integer({ min: 1, max: 500 }), { nil: null });
    const views = fc.record({
      tab: fc.constantFrom('code', 'versions', 'details'),
      on: fc.constantFrom('dataset', 'sample'),
      dataset: fc.option(fc.uuid(), { nil: null }),
      version,
      first: count,
      rows: fc.integer({ min: 1, max: 1_000 }),
      task: fc.option(fc.uuid(), { nil: null }),
      sort: fc.constantFrom(null, { column: 'score', ascending: false }),
      from: version,
      to: version,
    });
    fc.assert(
      fc.property(views, (view) => {
        expect(scorerCodec.read(scorerCodec.write(view))).to.deep.equal(view);
      }),
      { seed: drawSeed() },
    );
    expect(scorerCodec.read('rows=1001&first=-1&version=0')).to.deep.include({
      rows: 100,
      first: 0,
      version: null,
    });
  });

  it('send the details that changed, and no levels that do not fit', () => {
    const scorer = {
      label: 'Length',
      description: '',
      tags: ['a'],
      scoreable_node_types: ['llm'],
      roll_up_method: null,
      required_scorers: [],
      threshold: null,
    } as unknown as Scorer;
    const details = detailsOf(scorer);
    expect(detailsChange(scorer, details)).to.deep.equal({});
    expect(
      detailsChange(scorer, {
        ...details,
        tags: 'a, b,',
        rollUp: 'sum',
        limits: '0.5',
        levels: 'Low, High',
      }),
    ).to.deep.equal({
      tags: ['a', 'b'],
      roll_up_method: 'sum',
      threshold: { buckets: [0.5], display_value_levels: ['Low', 'High'], inverted: false },
    });
    expect(detailsChange(scorer, { ...details, limits: '2, 1', levels: 'a, b, c' })).to.equal(null);
    expect(detailsChange(scorer, { ...details, limits: '1', levels: 'a' })).to.equal(null);
  });

  it('say what became of records, and go on with the same choice', () => {
    const counts = {
      eligible: 20,
      waiting: 1,
      scored: 6,
      skipped: 0,
      failed: { time: 1, exception: 12, memory: 0 },
    };
    expect(countsText(counts)).to.equal('6 scored · 13 failed · 1 waiting');
    expect(reasonsText(counts)).to.equal('exception 12, time 1');
    const chosen = { filter_tree: { filter: {} }, scoreable_node_types: ['trace'] };
    const request = { ...chosen, start_time: 'then', scorer: 'x', version: 2 };
    expect(choiceOf({ request_data: request } as unknown as PastScoringJob)).to.deep.equal({
      ...chosen,
      start_time: 'then',
    });
  });
});
