import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CustomMetrics, CustomSearch } from '../../contract/metrics.js';
import {
  aggregations,
  type Aggregate,
  type AggregateRefusal,
} from '../../kernel/records/query-plans.js';
import { bucketOf, metricsParts, metricsRefusalFault } from '../../query-api/metrics/answer.js';
import { metricsInRequest } from '../../query-api/metrics/plan.js';
import { textOf } from '../support/json-parts.js';
import {
  from,
  planOf,
  refusalOf,
  request,
  textLeaf,
  to,
  valueError,
  widget,
} from '../support/metrics-plans.js';
import { repository } from '../support/test-environment.js';

describe('planning a custom search', () => {
  it('plans the window with five-minute buckets and no groups by default', () => {
    expect(planOf({})).to.deep.equal({
      population: 'trace',
      kinds: null,
      from,
      to,
      filter: null,
      widgets: [],
      intervalMinutes: 5,
      offsetMinutes: 0,
      groupBy: [],
    });
    expect(planOf({ interval_minutes: 30 }).intervalMinutes).to.equal(30);
  });

  it('reads a metric with and without its prefix, and gives it its type', () => {
    const plan = planOf(
      {
        metric_details: [
          widget('a', 'toxicity', 'Average'),
          widget('b', 'metrics/toxicity', 'P95'),
          widget('c', 'metrics/solved', 'PercentageTrue'),
          widget('d', 'nobody', 'Sum'),
        ],
      },
      { solved: 'boolean' },
    );
    expect(plan.widgets).to.deep.equal([
      { id: 'a', metric: 'toxicity', aggregation: 'Average', type: 'floating_point' },
      { id: 'b', metric: 'toxicity', aggregation: 'P95', type: 'floating_point' },
      { id: 'c', metric: 'solved', aggregation: 'PercentageTrue', type: 'boolean' },
      { id: 'd', metric: 'nobody', aggregation: 'Sum', type: null },
    ]);
  });

  it('loads the types that the registry does not fix, each once', () => {
    const asked = metricsInRequest(
      request({
        metric_details: [
          widget('a', 'reward', 'Sum'),
          widget('b', 'metrics/reward', 'Count'),
          widget('c', 'cost', 'Sum'),
        ],
        filter_tree: {
          and_: [
            textLeaf('input'),
            { filter: { type: 'boolean', name: 'metrics/solved', value: true } },
          ],
        },
        group_by: 'metrics/verdict',
      }),
    );
    expect(asked).to.deep.equal(['reward', 'solved', 'verdict']);
  });
});

describe('the population of a custom search', () => {
  const population = (members: Partial<CustomSearch>) => {
    const { population, kinds } = planOf(members);
    return [population, kinds];
  };

  it('is traces while every column applies to traces', () => {
    expect(population({ filter_tree: textLeaf('input'), group_by: 'tags' })).to.deep.equal([
      'trace',
      null,
    ]);
    expect(population({ group_by: 'metrics/unheard' })).to.deep.equal(['trace', null]);
    expect(population({ group_by: 'user_metadata/team' })).to.deep.equal(['trace', null]);
    expect(population({ filter_tree: { filter: { type: 'fully_annotated' } } })).to.deep.equal([
      'trace',
      null,
    ]);
  });

  it('is all spans for a column that every span has', () =>
    expect(population({ group_by: 'type' })).to.deep.equal(['span', null]));

  it('is the spans that have every column named', () => {
    expect(population({ group_by: 'model' })).to.deep.equal(['span', ['llm']]);
    expect(population({ group_by: 'type', filter_tree: textLeaf('model') })).to.deep.equal([
      'span',
      ['llm'],
    ]);
    expect(
      population({ group_by: 'input', filter_tree: { not: textLeaf('agent_name') } }),
    ).to.deep.equal(['span', ['control']]);
  });

  it('is empty when no kind of span has them all', () =>
    expect(population({ group_by: 'model', filter_tree: textLeaf('agent_type') })).to.deep.equal([
      'span',
      [],
    ]));

  it('follows the request', () => {
    const grouped = { group_by: 'name', filter_tree: textLeaf('output') };
    expect(population(grouped)).to.deep.equal(['trace', null]);
    expect(population({ ...grouped, population: 'traces' })).to.deep.equal(['trace', null]);
    expect(population({ ...grouped, population: 'spans' })).to.deep.equal(['span', null]);
    expect(population({ group_by: 'model', population: 'spans' })).to.deep.equal(['span', ['llm']]);
  });

  it('has the columns named, when the request says it', () => {
    const sentence = "column 'model' does not apply to traces";
    refusalOf({ group_by: 'model', population: 'traces' }).to.deep.equal(
      valueError(['group_by'], sentence),
    );
    refusalOf({ filter_tree: textLeaf('model'), population: 'traces' }).to.deep.equal(
      valueError(['filter_tree', 'filter', 'name'], sentence),
    );
  });

  it('is traces for groups by their spans, and for nothing else', () => {
    const filter_tree = { any_span: textLeaf('metrics/own') };
    expect(population({ filter_tree })).to.deep.equal(['trace', null]);
    expect(population({ filter_tree: { no_span: textLeaf('model') } })).to.deep.equal([
      'trace',
      null,
    ]);
    expect(metricsInRequest(request({ filter_tree }))).to.deep.equal(['own']);
    const place = { loc: ['body', 'filter_tree', 'any_span'] };
    refusalOf({ filter_tree, group_by: 'model' }).to.deep.include(place);
    refusalOf({ filter_tree, population: 'spans' }).to.deep.include(place);
  });
});

describe('a widget of a custom search', () => {
  const detail = (index: number, member: string) => ['metric_details', String(index), member];

  for (const reserved of [
    'requests_count',
    'session_count',
    'span_count',
    'start_bucket_time',
    'end_bucket_time',
    'group_by',
  ]) {
    it(`is not called ${reserved}`, () =>
      refusalOf({ metric_details: [widget(reserved, 'cost', 'Sum')] }).to.deep.equal(
        valueError(detail(0, 'id'), `'${reserved}' is a reserved key`),
      ));
  }

  it('has an id of its own', () =>
    refusalOf({
      metric_details: [widget('w', 'cost', 'Sum'), widget('w', 'cost', 'Max')],
    }).to.deep.equal(valueError(detail(1, 'id'), "'w' is used twice")));

  const page = readFileSync(join(repository, 'docs', 'contract.md'), 'utf8');
  const [table = ''] = /^\| `aggregation` \| data types .*\n(?:\|.*\n)+/m.exec(page) ?? [];
  const promised = [...table.matchAll(/^\| (`[A-Z][^|]*) \| ([^|]*) \|/gm)].flatMap(
    ([, names = '', types = '']) =>
      names.split(', ').map((name) => ({ name: name.slice(1, -1), types: types.split(', ') })),
  );

  it('has the aggregations of the contract', () =>
    expect(promised.map(({ name }) => name)).to.deep.equal(aggregations));

  for (const type of ['integer', 'floating_point', 'boolean', 'text'] as const) {
    it(`aggregates values of type ${type} as they can be`, () => {
      for (const [at, aggregation] of aggregations.entries()) {
        const members = { metric_details: [widget('w', 'm', aggregation)] };
        const types = promised[at]?.types ?? [];
        if (types.includes('all') || types.includes(type)) planOf(members, { m: type });
        else {
          refusalOf(members, { m: type }).to.deep.equal(
            valueError(
              detail(0, 'aggregation'),
              `'${aggregation}' does not fit metric 'm' of type ${type}`,
            ),
          );
        }
      }
    });
  }

  it('must fit a registry metric although no value was ever sent', () =>
    refusalOf({ metric_details: [widget('w', 'cost', 'PercentageTrue')] }).to.deep.include({
      loc: ['body', ...detail(0, 'aggregation')],
    }));

  it('may be any aggregation of a metric without values', () => {
    planOf({ metric_details: [widget('a', 'm', 'P99'), widget('b', 'm', 'PercentageFalse')] });
  });
});

describe('the response of a custom search', () => {
  const cell = (requests: number, widgets: Aggregate['total']['widgets'] = {}) => ({
    widgets,
    requests,
    sessions: 0,
    spans: 3,
  });
  const answered = (
    members: Partial<CustomSearch>,
    aggregate: Partial<Aggregate>,
  ): CustomMetrics => {
    const plan = planOf(members);
    const found = { total: cell(0), groups: [], errors: [], ...aggregate };
    const text = textOf(metricsParts(plan, found), (shown) =>
      JSON.stringify(bucketOf(plan, shown)),
    );
    const answer = JSON.parse(text) as CustomMetrics;
    // As an object is written: its members in one order.
    expect(JSON.stringify(answer)).to.equal(text);
    return answer;
  };

  it('has its groups in the order of members, whatever their keys', () => {
    const keys = ['10', '9', '__proto__', 'a', 'z"'];
    const groups = keys.map((key) => ({ key, values: [key], buckets: [] }));
    const { bucketed_metrics: bucketed } = answered({ group_by: 'name' }, { groups });
    expect(Object.keys(bucketed)).to.deep.equal(['9', '10', '__proto__', 'a', 'z"']);
  });

  it('has no group when nothing matched, and the counts', () =>
    expect(answered({}, {})).to.deep.equal({
      group_by_columns: [],
      aggregate_metrics: { requests_count: 0, session_count: 0, span_count: 3 },
      bucketed_metrics: {},
      ems_captured_error: false,
      standard_errors: {},
      population: 'traces',
    }));

  it('states the counted population', () => {
    expect(answered({ group_by: 'model' }, {})).to.include({ population: 'spans' });
    expect(answered({ population: 'spans' }, {})).to.include({ population: 'spans' });
  });

  it('says the group in each bucket only when there are groups', () => {
    const bucket = { start: from, end: to, ...cell(1, { w: 0.5 }) };
    const widgets = [widget('w', 'cost', 'Sum')];
    const groups = [{ key: '', values: [null], buckets: [bucket] }];
    const grouped = answered({ group_by: 'name', metric_details: widgets }, { groups });
    expect(grouped.group_by_columns).to.deep.equal(['name']);
    expect(grouped.bucketed_metrics).to.deep.equal({
      '': [
        {
          start_bucket_time: from,
          end_bucket_time: to,
          group_by: null,
          w: 0.5,
          requests_count: 1,
          session_count: 0,
          span_count: 3,
        },
      ],
    });
    const whole = answered(
      { metric_details: widgets },
      { groups: [{ key: 'all', values: [], buckets: [bucket] }] },
    );
    expect(whole.bucketed_metrics['all']?.[0]).to.not.have.property('group_by');
  });

  it('names each group of several columns by the list of their values', () => {
    const bucket = { start: from, end: to, ...cell(1) };
    const values = ['model-a', null, true];
    const groups = [{ key: JSON.stringify(values), values, buckets: [bucket] }];
    const asked = { group_by: ['any_span.model', 'name', 'metrics/m'] };
    const answer = answered(asked, { groups });
    expect(answer.group_by_columns).to.deep.equal(asked.group_by);
    expect(answer.bucketed_metrics['["model-a",null,true]']?.[0]).to.deep.include({
      group_by: values,
    });
    const one = answered(
      { group_by: ['name'] },
      { groups: [{ ...groups[0], key: 'a', values: ['a'] } as never] },
    );
    expect(one.bucketed_metrics['a']?.[0]).to.deep.include({ group_by: 'a' });
  });

  it('has every widget: an unknown metric counts 0 and has no other number', () => {
    const metric_details = [widget('c', 'nobody', 'Count'), widget('s', 'nobody', 'Sum')];
    expect(answered({ metric_details }, {}).aggregate_metrics).to.include({ c: 0, s: null });
  });

  it('keeps keys that objects inherit', () => {
    const metric_details = [widget('__proto__', 'cost', 'Sum')];
    const widgets: Record<string, number> = Object.fromEntries([['__proto__', 7]]);
    const answer = answered({ metric_details }, { total: cell(1, widgets) });
    expect(JSON.stringify(answer.aggregate_metrics)).to.equal(
      '{"__proto__":7,"requests_count":1,"session_count":0,"span_count":3}',
    );
  });

  it('explains each error code once', () => {
    const { ems_captured_error, standard_errors } = answered(
      {},
      {
        errors: [
          { code: 7, message: 'b' },
          { code: 1003, message: 'what the client said' },
          { code: 7, message: null },
          { code: 7, message: 'a' },
        ],
      },
    );
    expect(ems_captured_error).to.equal(true);
    expect(Object.keys(standard_errors)).to.deep.equal(['7', '1003']);
    expect(standard_errors['7']).to.deep.equal({
      error_code: 7,
      error_type: 'uncataloged_error',
      error_group: 'client',
      severity: 'medium',
      message: 'a',
      user_action: null,
      documentation_link: null,
      retriable: false,
      blocking: false,
      http_status_code: null,
      source_service: 'assay',
      context: {},
    });
    expect(standard_errors['1003']).to.include({
      error_type: 'system_error',
      message: 'The scorer ran past its time or memory limit.',
      retriable: true,
    });
  });

  const refused = (refusal: AggregateRefusal) =>
    metricsRefusalFault(
      planOf({ group_by: 'name', metric_details: [widget('w', 'verdict', 'Count')] }),
      refusal,
    ).complaints;

  it('names the limit that is exceeded', () => {
    expect(refused({ refused: 'groups' })).to.deep.equal([
      valueError(['group_by'], "column 'name' has more than 1000 groups"),
    ]);
    expect(refused({ refused: 'long-group-value' })).to.deep.equal([
      valueError(['group_by'], "column 'name' has values over 1024 characters"),
    ]);
    const several = planOf({ group_by: ['name', 'any_span.model'] });
    expect(metricsRefusalFault(several, { refused: 'groups' }).complaints).to.deep.equal([
      valueError(['group_by'], "columns 'name', 'any_span.model' have more than 1000 groups"),
    ]);
    expect(refused({ refused: 'categories', widget: 0 })).to.deep.equal([
      valueError(
        ['metric_details', '0', 'metric_name'],
        "metric 'verdict' has more than 1000 categories",
      ),
    ]);
    expect(refused({ refused: 'values', count: 1_000_001 })).to.deep.equal([
      valueError(
        ['interval_minutes'],
        'the answer would have 1000001 values, more than 1000000; a longer interval helps',
      ),
    ]);
  });
});
