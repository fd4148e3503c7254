import { expect } from 'chai';
import * as fc from 'fast-check';
import { completeFilter, suggestionsMax } from '../../../console/language/complete-filter.js';
import { parseFilter } from '../../../console/language/parse-filter.js';
import type { Population } from '../../../kernel/records/record.js';
import { runs } from '../../support/runs.js';
import { drawSeed } from '../../support/test-environment.js';
import { contextOf, filterTexts } from './filter-trees.js';

/** Completes at the bar in the text. */
const complete = (marked: string, population: Population = 'trace') => {
  const caret = marked.indexOf('|');
  const text = marked.replace('|', '');
  const values = [
    { value: 'support', count: 40 },
    { value: 'two words', count: 2 },
    { value: '500', count: 1 },
  ];
  const completion = completeFilter(text, caret, contextOf(population), (column) =>
    column === 'name' || column === 'metrics/verdict' ? values : [],
  );
  const { from, to, suggestions } = completion;
  return {
    ...completion,
    texts: suggestions.map((one) => one.text),
    /** The text with the first suggestion. */
    applied: text.slice(0, from) + (suggestions[0]?.text ?? '') + text.slice(to),
  };
};

describe('the completion of a filter', () => {
  it('offers columns, those without values last, and conditions on the level below', () => {
    const { texts, valuesOf } = complete('|', 'trace');
    expect(texts).to.include.members(['input', 'created_at', 'reward', '`two words`']);
    expect(texts).not.to.include('model');
    expect(valuesOf).to.equal(null);
    expect(complete('any span (mod|').texts).to.deep.equal(['model']);
    expect(complete('any |').texts).to.deep.equal([]);
    expect(complete('an|').texts).to.include('any span (');
    expect(complete('an|', 'session').texts).to.include('any trace (');
    expect(complete('exter|').suggestions).to.deep.equal([
      { kind: 'column', text: 'external_id', note: 'External ID (no values)' },
    ]);
  });

  it('finds columns by a part of their name or label, and replaces the whole word', () => {
    expect(complete('input ~ x and sta|tus').applied).to.equal('input ~ x and status_code');
    expect(complete('Helpf|').applied).to.equal('annotations/00000004-0000-4000-8000-000000000001');
    expect(complete('`two|').applied).to.equal('`two words`');
    expect(complete('in|').texts).to.include('metrics/in');
  });

  it('offers the operators of the column, and and or behind a word', () => {
    expect(complete('status_code |').texts).to.deep.equal(['>=', '<=', '>', '<', '=', '!=']);
    expect(complete('tags |').texts).to.deep.equal([
      '~',
      '=',
      'in',
      'not in',
      'is empty',
      'is not empty',
    ]);
    expect(complete('refund |').texts).to.include.members(['and', 'or']);
    expect(complete('name = support |').texts).to.deep.equal(['and', 'or']);
    expect(complete('(name = support |').texts).to.include(')');
    expect(complete('name not |').texts).to.include('in');
  });

  it('offers values: recorded ones in words or quotes, allowed ones, true and false, me', () => {
    expect(complete('name = |')).to.deep.include({
      texts: ['support', '"two words"', '"500"'],
      valuesOf: { column: 'name', population: 'trace' },
    });
    expect(complete('name = tw|').applied).to.equal('name = "two words"');
    expect(complete('name = "tw|o').applied).to.equal('name = "two words"');
    expect(complete('average_verdict in (support, |').valuesOf).to.deep.equal({
      column: 'metrics/verdict',
      population: 'trace',
    });
    expect(complete('any span (type = t|').texts.slice(0, 2)).to.deep.equal(['trace', 'tool']);
    expect(complete('is_complete = |').texts).to.deep.equal(['true', 'false']);
    expect(complete('is_complete = |').valuesOf).to.equal(null);
    expect(complete('annotated by (|').texts).to.deep.equal(['me']);
  });

  it('looks at each of 2,000 columns a few times, not once for each of the others', () => {
    let reads = 0;
    const columns = Array.from({ length: 2_000 }, (_column, index) => ({
      get id() {
        reads += 1;
        return `metrics/metric ${index}`;
      },
      label: `metric ${index}`,
      filter_type: 'number' as const,
      is_empty: false,
    }));
    const context = { population: 'trace', columns: { trace: columns }, me: null } as const;
    const { suggestions } = completeFilter('metric', 6, context, () => []);
    expect(suggestions[0]?.text).to.equal('`metric 0`');
    expect(reads / columns.length).to.be.at.most(20);
  });

  it('offers nothing behind a place that cannot be read, and takes any text and caret', () => {
    expect(complete('input = = |').texts).to.deep.equal([]);
    const texts = filterTexts(fc.constantFrom('name = support or any span (type in (a, b))'));
    const population = fc.constantFrom<Population>('session', 'trace', 'span');
    fc.assert(
      fc.property(texts, population, fc.integer({ min: -1, max: 70 }), (text, of, caret) => {
        const context = contextOf(of);
        const { from, to, suggestions } = completeFilter(text, caret, context, () => []);
        expect(0 <= from && from <= to && to <= text.length).to.equal(true);
        expect(suggestions.length).to.be.at.most(suggestionsMax);
        for (const { kind, text: column } of suggestions) {
          if (kind !== 'column') continue;
          // The parser accepts each suggestion at its place.
          const { problems } = parseFilter(`${text.slice(0, from)}${column} = 1`, context);
          for (const { at, message } of problems) {
            expect(at === from && /Unknown column/.test(message), message).to.equal(false);
          }
        }
      }),
      { seed: drawSeed('completions'), numRuns: runs(100) },
    );
  });
});
