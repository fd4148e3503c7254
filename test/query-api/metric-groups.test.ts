import { expect } from 'chai';
import * as fc from 'fast-check';
import { metricsInRequest, planMetrics } from '../../query-api/metrics/plan.js';
import { planOf, refusalOf, request, types, valueError } from '../support/metrics-plans.js';

describe('grouping a custom search', () => {
  const place = ['group_by'];

  it('accepts texts, ids, numbers, booleans, tags and columns without a type yet', () => {
    for (const column of [
      'input',
      'session_id',
      'status_code',
      'temperature',
      'has_children',
      'tags',
      'user_metadata/team',
      'metrics/unheard',
    ]) {
      expect(planOf({ group_by: column }).groupBy).to.deep.equal([{ column, of: 'record' }]);
    }
    planOf({ group_by: 'metrics/m' }, { m: 'boolean' });
    planOf({ group_by: 'metrics/m' }, { m: 'text' });
  });

  it('refuses dates and numeric metrics', () => {
    for (const column of ['created_at', 'updated_at', 'metrics/cost', 'metrics/m']) {
      refusalOf({ group_by: column }, { m: 'integer' }).to.deep.equal(
        valueError(place, `column '${column}' cannot be grouped by`),
      );
    }
  });

  it('refuses unknown columns', () => {
    refusalOf({ group_by: 'nowhere' }).to.deep.equal(valueError(place, "unknown column 'nowhere'"));
    refusalOf({ group_by: '' }).to.deep.equal(valueError(place, "unknown column ''"));
  });
});

describe('grouping a custom search by columns of spans, or by several columns', () => {
  const spans = (column: string) => ({ column, of: 'any_span' });

  it('counts traces by any column of their spans that can be grouped by', () => {
    for (const column of ['model', 'name', 'tags', 'status_code', 'user_metadata/team']) {
      for (const population of [null, 'traces'] as const) {
        const plan = planOf({ group_by: `any_span.${column}`, population });
        expect(plan.groupBy).to.deep.equal([spans(column)]);
        expect([plan.population, plan.kinds]).to.deep.equal(['trace', null]);
      }
    }
    const known = planOf({ group_by: 'any_span.verdict' }, { verdict: 'text' });
    expect(known.groupBy).to.deep.equal([spans('metrics/verdict')]);
    expect(metricsInRequest(request({ group_by: ['any_span.verdict', 'solved'] }))).to.deep.equal([
      'verdict',
      'solved',
    ]);
  });

  it('refuses to group spans by it, and what spans cannot be grouped by', () => {
    const place = ['group_by'];
    refusalOf({ group_by: 'any_span.model', population: 'spans' }).to.deep.equal(
      valueError(place, "column 'any_span.model' groups traces; spans are grouped by 'model'"),
    );
    for (const [column, sentence] of [
      ['any_span.nowhere', "unknown column 'any_span.nowhere'"],
      ['any_span.', "unknown column 'any_span.'"],
      ['any_span.any_span.model', "unknown column 'any_span.any_span.model'"],
      ['any_span.created_at', "column 'any_span.created_at' cannot be grouped by"],
      ['any_span.cost', "column 'any_span.cost' cannot be grouped by"],
    ] as const) {
      refusalOf({ group_by: column }).to.deep.equal(valueError(place, sentence));
    }
  });

  it('refuses columns of spans beside it that are not columns of traces', () =>
    refusalOf({ group_by: ['any_span.model', 'type'] }).to.deep.equal(
      valueError(['group_by', '1'], "column 'type' does not apply to traces"),
    ));

  it('accepts a list of columns, each once under all of its names', () => {
    expect(planOf({ group_by: ['name', 'any_span.name'] }).groupBy).to.deep.equal([
      { column: 'name', of: 'record' },
      spans('name'),
    ]);
    expect(planOf({ group_by: ['name', 'model'] })).to.deep.include({
      population: 'span',
      kinds: ['llm'],
    });
    refusalOf({ group_by: ['solved', 'metrics/solved'] }, { solved: 'boolean' }).to.deep.equal(
      valueError(['group_by', '1'], "column 'metrics/solved' is named twice"),
    );
  });

  it('never plans columns that its population does not have', () => {
    const columns = fc.constantFrom(
      'name',
      'model',
      'type',
      'tags',
      'created_at',
      'metrics/cost',
      'metrics/m',
      'nowhere',
    );
    const written = fc
      .tuple(fc.boolean(), columns)
      .map(([isOfSpans, column]) => (isOfSpans ? `any_span.${column}` : column));
    fc.assert(
      fc.property(
        fc.array(written, { minLength: 1, maxLength: 3 }),
        fc.constantFrom(null, 'traces' as const, 'spans' as const),
        (group_by, population) => {
          const { plan } = planMetrics(request({ group_by, population }), types({ m: 'boolean' }));
          if (plan === null) return;
          const isSpan = plan.population === 'span';
          const names = plan.groupBy.map(({ column, of }) => `${of} ${column}`);
          expect(new Set(names).size).to.equal(group_by.length);
          for (const { column, of } of plan.groupBy) {
            expect(['created_at', 'metrics/cost', 'nowhere']).to.not.include(column);
            if (of === 'any_span') expect(isSpan).to.equal(false);
            else if (!isSpan) expect(['model', 'type']).to.not.include(column);
          }
        },
      ),
    );
  });

  it('starts buckets in local time, unless the window is one bucket', () => {
    expect(planOf({ utc_offset_minutes: 330 })).to.include({ offsetMinutes: 330 });
    expect(planOf({ utc_offset_minutes: null })).to.include({ offsetMinutes: 0 });
    expect(planOf({ utc_offset_minutes: 330, interval_minutes: null })).to.include({
      offsetMinutes: 0,
    });
  });
});
