import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { sharedApp, type App } from '../support/app.js';
import { expectInvalid, expectRefused, keyRing, type KeyRing } from '../support/key-ring.js';

type Column = { readonly id: string; readonly [member: string]: unknown };
type Columns = { readonly columns: readonly Column[] };

describe('columns of a metric under test', () => {
  let app: App;
  let keys: KeyRing;
  let project: string;
  let stream: string;
  before(async () => {
    app = await sharedApp();
    keys = keyRing(app);
    project = await keys.project(`metrics testing ${randomUUID()}`);
    const made = await app.client.call<{ id: string }>('POST', path('/log_streams'), {
      body: { name: 'tested' },
    });
    stream = made.body.id;
    const metrics = { registered_scorer_validation: 0.5, polite: true };
    await app.client.call('POST', path('/traces'), {
      body: { log_stream_id: stream, traces: [{ input: 'a', output: 'b', metrics }] },
    });
  });
  after(() => keys.close());

  const path = (rest: string) => `/v2/projects/${project}${rest}`;
  const ask = (body: object, as = app.client) =>
    as.send<Columns>('POST', path('/metrics-testing/available_columns'), { body });
  const columns = async (body: object) => {
    const reply = await ask({ name: 'Helpful', ...body });
    expect(reply.status, JSON.stringify(reply.body)).to.equal(200);
    return reply.body.columns;
  };
  const known = async () =>
    (
      await app.client.call<Columns>('POST', path('/traces/available_columns'), {
        body: { log_stream_id: stream },
      })
    ).body.columns;
  const facts = {
    description: '',
    category: 'metric',
    filterable: true,
    sortable: true,
    multi_valued: false,
    is_optional: false,
    applicable_types: [],
  };

  it('follow those of traces; what was there moves to its later place', async () => {
    const tested = await columns({
      log_stream_id: stream,
      metric_key: 'registered_scorer_validation',
      required_scorers: ['bleu', 'metrics/polite', 'registered_scorer_validation', 'unknown'],
    });
    const moved = ['registered_scorer_validation', 'bleu', 'polite', 'unknown'].map(
      (name) => `metrics/${name}`,
    );
    const others = (await known()).filter(({ id }) => !moved.includes(id));
    expect(tested.slice(0, others.length)).to.deep.equal(others);
    const later = tested.slice(others.length);
    expect(later.map(({ id }) => id)).to.deep.equal(moved);
    expect(later[0]).to.deep.equal({
      id: 'metrics/registered_scorer_validation',
      label: 'Helpful',
      group_label: 'Metrics Testing',
      data_type: 'floating_point',
      filter_type: 'number',
      is_empty: false,
      roll_up_method: 'average',
      ...facts,
    });
    expect(later[1]).to.deep.include({ group_label: 'Output Quality', is_empty: true });
    expect(later[2]).to.deep.include({
      label: 'polite',
      group_label: 'Custom Metrics',
      data_type: 'boolean',
      is_empty: false,
    });
    expect(later[3]).to.deep.include({ data_type: 'floating_point', is_empty: true });
  });

  it('have the type of the score, and an explanation if requested', async () => {
    for (const [score_type, data_type, rollUp] of [
      ['bool', 'boolean', undefined],
      ['int', 'integer', 'average'],
      ['float', 'floating_point', 'average'],
      ['str', 'text', undefined],
      [null, 'floating_point', 'average'],
    ] as const) {
      const last = (await columns({ score_type, required_scorers: null })).at(-1);
      expect(last).to.deep.include({ id: 'metrics/generated_scorer_validation', data_type });
      expect(last?.['roll_up_method']).to.equal(rollUp);
    }
    const [, explanation] = (await columns({ cot_enabled: true })).slice(-2);
    expect(explanation).to.deep.equal({
      id: 'metrics/generated_scorer_validation_explanation',
      label: 'Helpful explanation',
      group_label: 'Metrics Testing',
      data_type: 'text',
      filter_type: 'text',
      is_empty: true,
      ...facts,
    });
  });

  it('answer 422 for a malformed request, 404 for a run that is not in the project', async () => {
    for (const [body, loc, type] of [
      [{}, ['body', 'name'], 'missing'],
      [{ name: 'x', score_type: 'double' }, ['body', 'score_type'], 'enum'],
      [{ name: 'x', metric_key: '' }, ['body', 'metric_key'], 'string_too_short'],
      [
        { name: 'x', required_scorers: Array<string>(101).fill('a') },
        ['body', 'required_scorers'],
        'too_long',
      ],
      [
        { name: 'x', log_stream_id: randomUUID(), experiment_id: randomUUID() },
        ['body'],
        'value_error',
      ],
    ] as const) {
      expectInvalid(await ask(body), loc, type);
    }
    for (const member of ['log_stream_id', 'experiment_id', 'metrics_testing_id']) {
      expectRefused(await ask({ name: 'x', [member]: randomUUID() }), 404, 'not_found');
    }
    const other = await keys.make({ project_id: await keys.project(`other ${randomUUID()}`) });
    expectRefused(await ask({ name: 'x' }, other.as), 404, 'not_found');
  });
});
