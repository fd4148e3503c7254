import { expect } from 'chai';
import type { ColumnFacts } from '../../kernel/records/query-plans.js';
import type { MetricType, Population } from '../../kernel/records/record.js';
import { columnDescriptors } from '../../query-api/columns/descriptors.js';

const nothing: ColumnFacts = { present: [], metrics: [], userMetadata: [], templates: [] };
const listed = (
  population: Population,
  facts: Partial<ColumnFacts> = {},
  types: Readonly<Record<string, MetricType>> = {},
) => columnDescriptors(population, { ...nothing, ...facts }, new Map(Object.entries(types)));
const ids = (...listing: Parameters<typeof listed>) => listed(...listing).map(({ id }) => id);
const descriptor = (id: string, ...listing: Parameters<typeof listed>) =>
  listed(...listing).find((column) => column.id === id);

describe('the column catalogue', () => {
  it('has 6 standard columns for sessions, 16 for traces, 32 for spans, always two metrics', () => {
    const count = (population: Population) =>
      listed(population).filter(({ category }) => category === 'standard').length;
    expect([count('session'), count('trace'), count('span')]).to.deep.equal([6, 16, 32]);
    for (const population of ['session', 'trace', 'span'] as const) {
      expect(ids(population).slice(-2)).to.deep.equal(['metrics/toxicity', 'metrics/bleu']);
    }
  });

  it('describes a column as the example of the contract does', () => {
    expect(descriptor('input', 'session', { present: ['input'] })).to.deep.equal({
      id: 'input',
      label: 'Input',
      description: 'What the step was given.',
      category: 'standard',
      group_label: 'Standard',
      data_type: 'text',
      filter_type: 'text',
      filterable: true,
      sortable: true,
      multi_valued: false,
      is_empty: false,
      is_optional: false,
      applicable_types: [
        'trace',
        'llm',
        'control',
        'retriever',
        'agent',
        'tool',
        'session',
        'workflow',
      ],
    });
    expect(descriptor('metrics/toxicity', 'session')).to.deep.equal({
      id: 'metrics/toxicity',
      label: 'Output Toxicity',
      description: 'How toxic the output is.',
      category: 'metric',
      group_label: 'Safety Metrics',
      data_type: 'floating_point',
      data_unit: 'percentage',
      filter_type: 'number',
      filterable: true,
      sortable: true,
      multi_valued: false,
      is_empty: true,
      is_optional: false,
      applicable_types: [],
      roll_up_method: 'average',
      threshold: {
        buckets: [0.5, 0.8],
        display_value_levels: ['Low', 'Medium', 'High'],
        inverted: true,
      },
    });
  });

  it('lets only tags be unsortable and of many values', () => {
    const odd = listed('span').filter(({ sortable, multi_valued }) => !sortable || multi_valued);
    expect(odd.map(({ id }) => id)).to.deep.equal(['tags']);
  });

  it('lists the legal values of enumerated columns only', () => {
    const enumerated = listed('span').filter((column) => 'allowed_values' in column);
    expect(enumerated.map(({ id }) => id)).to.deep.equal([
      'type',
      'agent_type',
      'check_stage',
      'applies_to',
    ]);
  });

  it('orders the registry like the contract, other metrics and metadata as facts come', () => {
    const facts = {
      metrics: ['Zeta', 'alpha', 'cost', 'duration_ns', 'toxicity'],
      userMetadata: ['a', 'b'],
    };
    const known = { Zeta: 'integer', alpha: 'text' } as const;
    expect(ids('trace', facts, known).slice(16)).to.deep.equal([
      'metrics/toxicity',
      'metrics/bleu',
      'metrics/duration_ns',
      'metrics/cost',
      'metrics/Zeta',
      'metrics/alpha',
      'user_metadata/a',
      'user_metadata/b',
    ]);
  });

  it("describes a metric's values", () => {
    const facts = { metrics: ['cost', 'solved', 'steps', 'verdict'] };
    const known = { solved: 'boolean', steps: 'integer', verdict: 'text' } as const;
    const shown = (id: string) => descriptor(id, 'trace', facts, known);
    expect(shown('metrics/cost')).to.include({
      label: 'Cost',
      data_unit: 'dollars',
      roll_up_method: 'sum',
      is_empty: false,
      group_label: 'System Metrics',
    });
    expect(shown('metrics/steps')).to.include({
      label: 'steps',
      description: '',
      data_type: 'integer',
      filter_type: 'number',
      roll_up_method: 'average',
      group_label: 'Custom Metrics',
    });
    expect(shown('metrics/solved')).to.include({ data_type: 'boolean', filter_type: 'boolean' });
    expect(shown('metrics/verdict')).to.include({ data_type: 'text', filter_type: 'text' });
    for (const id of ['metrics/solved', 'metrics/verdict']) {
      expect(shown(id)).to.not.have.any.keys('roll_up_method', 'threshold', 'data_unit');
    }
  });

  it('offers user metadata as optional text', () =>
    expect(descriptor('user_metadata/team', 'span', { userMetadata: ['team'] })).to.include({
      label: 'team',
      category: 'user_metadata',
      group_label: 'User Metadata',
      data_type: 'text',
      filter_type: 'text',
      sortable: true,
      is_optional: true,
      is_empty: false,
    }));
});
