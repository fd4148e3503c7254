import { expect } from 'chai';
import {
  array,
  assert,
  constantFrom,
  dictionary,
  jsonValue,
  letrec,
  oneof,
  property,
  record,
  string,
} from 'fast-check';
import type { Json } from '../../kernel/schema-types.js';
import { runs } from '../support/runs.js';
import { columnsInFilter, ownColumnsInFilter, planFilter } from '../../query-api/filters/plan.js';
import {
  acceptedPlan,
  leaf,
  filterPath,
  planOfFilter,
  refusedPlan,
  text,
  valueError,
} from '../support/filter-plans.js';

describe('planning a filter', () => {
  it('reads the filter of a request once, and binds its columns to each catalogue', () => {
    let reads = 0;
    const filter = { type: 'number', name: 'pace', operator: 'gt', value: 1 };
    const tree = {
      get filter(): Json {
        reads += 1;
        return filter;
      },
    };
    const columnOf = (types: ReadonlyMap<string, 'integer'> | null) =>
      columnsInFilter(planFilter({ filter_tree: tree }, { population: 'trace', types }).filter);
    expect(columnOf(null)).to.deep.equal(['metrics/pace']);
    const readsOfFirst = reads;
    expect(columnOf(new Map([['pace', 'integer']]))).to.deep.equal(['metrics/pace']);
    expect(columnOf(new Map())).to.deep.equal([]);
    expect(reads).to.equal(readsOfFirst);
  });

  it('limits the values of all lists of a request together', () => {
    const list = (count: number) =>
      text({ operator: 'one_of', value: Array.from({ length: count }, (_, n) => `v${n}`) });
    const alone = text({ value: 'one value alone is no list' });
    acceptedPlan({ and_: [list(1_000), { not: list(1_000) }, alone] });
    const sentence = (count: number): string =>
      `the lists of a request's filters have at most 2000 values together, not ${count}`;
    refusedPlan({ and_: [list(1_000), { not: list(1_000) }, list(2)] }).to.deep.equal(
      valueError(filterPath(), sentence(2_002)),
    );
    const users = Array.from({ length: 2 }, (_, n) => `11111111-1111-4111-8111-11111111111${n}`);
    const annotated = leaf({ type: 'fully_annotated', user_ids: users });
    refusedPlan({ or: [list(1_000), list(1_000), annotated] }).to.deep.equal(
      valueError(filterPath(), sentence(2_002)),
    );
    const [flat] = [list(700) as { readonly filter: Json }];
    const listed = (count: number) => Array.from({ length: count }, () => flat.filter);
    const catalogue = { population: 'trace', types: new Map() } as const;
    expect(
      planFilter({ filters: listed(2), filter_tree: flat }, catalogue).complaints,
    ).to.deep.equal([valueError(filterPath(), sentence(2_100))]);
    expect(planFilter({ filters: listed(3) }, catalogue).complaints).to.deep.equal([
      valueError(['body', 'filters'], sentence(2_100)),
    ]);
  });

  it('limits the values of contains, in all lists together', () => {
    const list = (count: number) =>
      text({ operator: 'contains', value: Array.from({ length: count }, (_, n) => `v${n}`) });
    acceptedPlan({ and_: [list(98), list(2), text({ operator: 'contains', value: 'alone' })] });
    refusedPlan({ or: [list(98), list(3)] }).to.deep.equal(
      valueError(filterPath(), 'lists of contains have at most 100 values together, not 101'),
    );
  });

  it('reads the example of the contract', () => {
    acceptedPlan({
      and_: [
        leaf({
          type: 'text',
          name: 'input',
          operator: 'contains',
          value: 'refund',
          case_sensitive: false,
        }),
        {
          not: leaf({
            type: 'number',
            column_id: 'metrics/toxicity',
            operator: 'gte',
            value: 0.5,
          }),
        },
      ],
    }).to.deep.equal({
      all: [
        {
          kind: 'text',
          column: 'input',
          operator: 'contains',
          values: ['refund'],
          caseSensitive: false,
        },
        {
          not: { kind: 'number', column: 'metrics/toxicity', operator: 'gte', values: [0.5] },
        },
      ],
    });
  });

  it('takes both spellings of and, or and not', () => {
    const x = { kind: 'text', column: 'input', operator: 'eq', values: ['x'], caseSensitive: true };
    acceptedPlan({ and: [text()] }).to.deep.equal({ all: [x] });
    acceptedPlan({ and_: [text()] }).to.deep.equal({ all: [x] });
    acceptedPlan({ or: [text(), text()] }).to.deep.equal({ any: [x, x] });
    acceptedPlan({ or_: [text()] }).to.deep.equal({ any: [x] });
    acceptedPlan({ not: text() }).to.deep.equal({ not: x });
    acceptedPlan({ not_: text() }).to.deep.equal({ not: x });
  });

  it('joins the flat list and the tree with AND', () => {
    const written = { type: 'boolean', name: 'is_complete', value: true };
    const { filter } = planFilter(
      { filters: [written, written], filter_tree: leaf(written) },
      { population: 'trace', types: new Map() },
    );
    const one = { kind: 'boolean', column: 'is_complete', operator: 'eq', value: true };
    expect(filter).to.deep.equal({ all: [one, one, one] });
  });

  it('restricts nothing without filters, with null and with an empty list', () => {
    acceptedPlan(null).to.equal(null);
    const none = planFilter({ filters: [] }, { population: 'trace', types: new Map() });
    expect(none).to.deep.equal({ filter: null, complaints: [] });
  });

  it('names the columns of all leaves', () => {
    const { filter } = planOfFilter({
      or: [text(), { not: text({ name: 'output' }) }, leaf({ type: 'fully_annotated' })],
    });
    expect(columnsInFilter(filter)).to.deep.equal(['input', 'output']);
  });
});

describe('a node of a filter', () => {
  const oneMember =
    'a filter node has exactly one of the members filter, and_, or, not, any_span, all_spans ' +
    'and no_span';

  it('has exactly one member', () => {
    refusedPlan({}).to.deep.equal(valueError(filterPath(), oneMember));
    refusedPlan({ and_: [text()], or: [text()] }).to.deep.equal(
      valueError(filterPath(), oneMember),
    );
    refusedPlan({ and_: [text()], and: [text()] }).to.deep.equal(
      valueError(filterPath(), oneMember),
    );
    refusedPlan({ or: [{ nor: [] }] }).to.deep.equal(valueError(filterPath('or', '0'), oneMember));
  });

  it('has no second member, a known one or a misspelt one', () => {
    refusedPlan({ ...(text() as object), nto: text() }).to.deep.equal(
      valueError(filterPath(), oneMember),
    );
    refusedPlan({ __proto__x: text() }).to.deep.equal(valueError(filterPath(), oneMember));
  });

  it('is an object, and its children come in a list of at least one', () => {
    refusedPlan('x').to.deep.equal({
      loc: filterPath(),
      msg: 'Input should be a valid object',
      type: 'dict_type',
    });
    refusedPlan({ and_: null }).to.deep.equal({
      loc: filterPath('and_'),
      msg: 'Input should be a valid list',
      type: 'list_type',
    });
    refusedPlan({ or_: [] }).to.deep.equal({
      loc: filterPath('or_'),
      msg: 'List should have at least 1 item, not 0',
      type: 'too_short',
    });
    refusedPlan({ not: [text()] }).to.include({ type: 'dict_type' });
    refusedPlan({ filter: null }).to.deep.include({ loc: filterPath('filter'), type: 'dict_type' });
  });

  const nested = (levels: number): Json => {
    let node = text();
    for (let level = 1; level < levels; level += 1) node = { not: node };
    return node;
  };

  it('is at most 8 levels deep', () => {
    acceptedPlan(nested(8));
    refusedPlan(nested(9)).to.deep.equal(
      valueError(filterPath(), 'a filter is at most 8 levels deep'),
    );
  });

  it('has at most 100 nodes', () => {
    acceptedPlan({ and_: Array.from({ length: 99 }, () => text()) });
    refusedPlan({ and_: Array.from({ length: 100 }, () => text()) }).to.deep.equal(
      valueError(filterPath(), 'a filter has at most 100 nodes'),
    );
  });

  it('is one of at most 100 leaves in a flat list', () => {
    const one = { type: 'boolean', name: 'is_complete', value: true };
    const { complaints } = planFilter(
      { filters: Array.from({ length: 101 }, () => one) },
      { population: 'trace', types: new Map() },
    );
    expect(complaints).to.deep.equal([
      {
        loc: ['body', 'filters'],
        msg: 'List should have at most 100 items, not 101',
        type: 'too_long',
      },
    ]);
  });

  it('reports all complaints, in the order of the request', () => {
    const { complaints } = planOfFilter({
      and: [text({ value: 1 }), text({ name: 'nowhere' }), text({ operator: 'like' })],
    });
    expect(complaints.map(({ loc, type }) => [loc.slice(2).join('.'), type])).to.deep.equal([
      ['and.0.filter.value', 'string_type'],
      ['and.1.filter.name', 'value_error'],
      ['and.2.filter.operator', 'enum'],
    ]);
  });
});

describe('a node about the level below', () => {
  const model = text({ name: 'model' });
  const read = {
    kind: 'text',
    column: 'model',
    operator: 'eq',
    values: ['x'],
    caseSensitive: true,
  };

  it('filters traces by their spans, whose columns it takes', () => {
    const some = { some: 'span', where: read };
    acceptedPlan({ any_span: model }).to.deep.equal(some);
    acceptedPlan({ no_span: model }).to.deep.equal({ not: some });
    acceptedPlan({ all_spans: { not: model } }).to.deep.equal({
      not: { some: 'span', where: { not: { not: read } } },
    });
    refusedPlan({ any_span: text({ name: 'models' }) }).to.deep.equal(
      valueError(filterPath('any_span', 'filter', 'name'), "unknown column 'models'"),
    );
    refusedPlan({ any_span: {} }).to.deep.equal(
      valueError(
        filterPath('any_span'),
        'a filter node has exactly one of the members filter, and_, or and not',
      ),
    );
  });

  it('filters sessions by their traces, and those by their spans', () => {
    acceptedPlan({ any_trace: { any_span: model } }, 'session').to.deep.equal({
      some: 'trace',
      where: { some: 'span', where: read },
    });
    acceptedPlan({ no_trace: text() }, 'session');
    refusedPlan({ all_traces: model }, 'session').to.deep.equal(
      valueError(
        filterPath('all_traces', 'filter', 'name'),
        "column 'model' does not apply to traces",
      ),
    );
  });

  it('is refused for other records, with the members that exist', () => {
    refusedPlan({ any_trace: text() }).to.deep.equal(
      valueError(
        filterPath('any_trace'),
        'any_trace filters sessions; a filter of traces takes any_span, all_spans and no_span',
      ),
    );
    refusedPlan({ or: [{ no_span: text() }] }, 'session').to.deep.equal(
      valueError(
        filterPath('or', '0', 'no_span'),
        'no_span filters traces; a filter of sessions takes any_trace, all_traces and no_trace',
      ),
    );
    refusedPlan({ any_span: { all_spans: text() } }).to.deep.equal(
      valueError(
        filterPath('any_span', 'all_spans'),
        'all_spans filters traces; a filter of spans has no level below it',
      ),
    );
  });

  it('counts as a level of depth, and there are at most 10', () => {
    const some = (count: number): Json => ({
      or: Array.from({ length: count }, () => ({ any_span: text() })),
    });
    acceptedPlan(some(10));
    refusedPlan(some(11)).to.deep.equal(
      valueError(
        filterPath(),
        'a filter has at most 10 of any_span, all_spans, no_span, any_trace, all_traces ' +
          'and no_trace',
      ),
    );
    const deep = (depth: number): Json =>
      depth === 2 ? { any_span: text() } : { not: deep(depth - 1) };
    acceptedPlan(deep(8));
    refusedPlan(deep(9)).to.deep.equal(
      valueError(filterPath(), 'a filter is at most 8 levels deep'),
    );
  });

  it('counts the values of its lists with all others', () => {
    const list = text({
      operator: 'one_of',
      value: Array.from({ length: 1_000 }, (_, n) => `${n}`),
    });
    refusedPlan({ and: [list, { any_span: list }, { no_span: list }] }).to.deep.equal(
      valueError(
        filterPath(),
        "the lists of a request's filters have at most 2000 values together, not 3000",
      ),
    );
  });

  it('names its columns among all, but not among those of what is filtered', () => {
    const { filter } = planOfFilter({ and: [text(), { not: { any_span: model } }] });
    expect(columnsInFilter(filter)).to.deep.equal(['input', 'model']);
    expect(ownColumnsInFilter(filter)).to.deep.equal(['input']);
  });
});

describe('a filter of any JSON', () => {
  const { node } = letrec((tie) => ({
    node: oneof(
      { depthSize: 'small', withCrossShrink: true },
      record({ filter: oneof(tie('leaf'), jsonValue()) }),
      record({ and_: array(tie('node')) }),
      record({ or: array(tie('node')) }),
      record({ not: tie('node') }),
      record({ any_span: tie('node') }),
      dictionary(
        constantFrom('filter', 'and', 'or_', 'not_', 'no_span', 'any_trace', '__proto__'),
        jsonValue(),
      ),
    ),
    leaf: record(
      {
        type: constantFrom('text', 'id', 'date', 'number', 'boolean', 'collection', 'x'),
        name: oneof(constantFrom('input', 'id', 'tags', 'metrics/a', 'created_at'), jsonValue()),
        column_id: string(),
        operator: oneof(constantFrom('eq', 'contains', 'between', 'one_of'), jsonValue()),
        value: jsonValue(),
        case_sensitive: jsonValue(),
      },
      { requiredKeys: [] },
    ),
  }));

  it('is either planned or complained about', () => {
    assert(
      property(oneof(node, jsonValue()), (tree) => {
        const { filter, complaints } = planOfFilter(tree as Json);
        expect(complaints.length > 0 && filter !== null).to.equal(false);
        for (const { loc, msg, type } of complaints) {
          expect(loc[0]).to.equal('body');
          expect(msg).to.be.a('string');
          expect(type).to.match(/^[a-z_]+$/);
        }
      }),
      { numRuns: runs(1_000) },
    );
  });
});
