import { expect } from 'chai';
import { renderTrace, type RenderedRecord } from '../../tools/trace-rendering.js';
import { expectReplayEqual, sharedApp, type App } from '../support/app.js';
import { otelRequest, otelSpan } from '../support/otlp.js';
import { traceRecordId } from '../support/otel-records.js';

type View = {
  readonly id: string;
  readonly type: string;
  readonly parent_id?: string;
  readonly spans?: readonly View[];
  readonly [member: string]: unknown;
};
type Answer = {
  readonly partialSuccess?: { readonly rejectedSpans: string; readonly errorMessage: string };
  readonly [member: string]: unknown;
};

const chat = { 'gen_ai.operation.name': 'chat' };

describe('traces of OTLP', () => {
  let app: App;
  let project: string;
  let traces = 5_000;
  const nextTrace = (): number => {
    traces += 1;
    return traces;
  };

  before(async () => {
    app = await sharedApp();
    const { body } = await app.client.call<{ id: string }>('POST', '/v2/projects', {
      body: { name: 'otlp traces' },
    });
    project = body.id;
  });

  const posted = async (spans: readonly object[]): Promise<void> => {
    const headers = { projectid: project };
    const reply = await app.client.send('POST', '/v1/traces', {
      body: otelRequest(spans),
      headers,
    });
    expect([reply.status, reply.body]).to.deep.equal([200, {}]);
  };
  const trace = async (number: number): Promise<View> => {
    const path = `/v2/projects/${project}/traces/${traceRecordId(number)}`;
    return (await app.client.call<View>('GET', path)).body;
  };

  it('puts a trace into the session that a span of a later request names first', async () => {
    const [number, other] = [nextTrace(), nextTrace()];
    const child = otelSpan({ trace: number, id: 2, parent: 1, attributes: chat });
    await posted([child]);
    expect((await trace(number))['session_id']).to.equal(traceRecordId(number));
    const root = { trace: number, id: 1, attributes: { 'session.id': 'late-1' } };
    await posted([otelSpan(root)]);
    // A repeat and another name change nothing.
    await posted([otelSpan(root), child]);
    await posted([
      otelSpan({ trace: number, id: 3, parent: 1, attributes: { 'session.id': 'late-2' } }),
    ]);
    await posted([otelSpan({ trace: other, id: 1, attributes: { 'session.id': 'late-1' } })]);
    const [shown, neighbour] = [await trace(number), await trace(other)];
    const session = String(shown['session_id']);
    expect(session).to.not.equal(traceRecordId(number));
    expect(neighbour['session_id']).to.equal(session);
    const [span] = shown.spans ?? [];
    expect([span, ...(span?.spans ?? [])].map((one) => one?.['session_id'])).to.deep.equal([
      session,
      session,
      session,
    ]);
    const records = `/v2/projects/${project}`;
    const named = (name: string) => ({
      filters: [{ type: 'text', name: 'external_id', operator: 'eq', value: name }],
    });
    const count = async (name: string): Promise<unknown> =>
      (await app.client.call('POST', `${records}/sessions/count`, { body: named(name) })).body;
    expect(await count('late-1')).to.include({ total_count: 1 });
    expect(await count('late-2')).to.include({ total_count: 0 });
    const { body } = await app.client.call<View>('GET', `${records}/sessions/${session}`);
    expect((body['traces'] as readonly View[]).map(({ id }) => id)).to.have.members([
      traceRecordId(number),
      traceRecordId(other),
    ]);
    await expectReplayEqual(app);
    // Deleting the session reaches the trace that joined it late.
    await app.client.call('POST', `${records}/sessions/delete`, { body: named('late-1') });
    expect(
      (await app.client.send('GET', `${records}/traces/${traceRecordId(number)}`)).status,
    ).to.equal(404);
  });

  it('takes the id of a session that was begun by its route', async () => {
    const begun = await app.client.call<{ id: string }>(
      'POST',
      `/v2/projects/${project}/sessions`,
      { body: { name: 'of an SDK' } },
    );
    const number = nextTrace();
    const attributes = { 'galileo.session.id': begun.body.id };
    await posted([otelSpan({ trace: number, id: 1, attributes })]);
    expect((await trace(number))['session_id']).to.equal(begun.body.id);
  });

  it('gives a trace the user, tags, metadata and error of its root', async () => {
    const number = nextTrace();
    await posted([otelSpan({ trace: number, id: 2, parent: 1, attributes: chat })]);
    await posted([
      otelSpan({
        trace: number,
        id: 1,
        status: { code: 2, message: 'sold out' },
        attributes: {
          'user.id': 'u7',
          'tag.tags': ['gold'],
          metadata: '{"tier":"gold"}',
          'galileo.dataset.output': 'booked',
          note: '',
        },
      }),
    ]);
    expect(await trace(number)).to.deep.include({
      status_code: 500,
      tags: ['gold'],
      dataset_output: 'booked',
      user_metadata: {
        'service.name': 'booking',
        tier: 'gold',
        user_id: 'u7',
        'error.message': 'sold out',
        note: '',
      },
    });
    const filters = [
      { type: 'text', name: 'user_metadata/user_id', operator: 'eq', value: 'u7' },
      { type: 'collection', name: 'tags', operator: 'contains', value: 'gold' },
    ];
    const { body } = await app.client.call('POST', `/v2/projects/${project}/traces/count`, {
      body: { filters },
    });
    expect(body).to.include({ total_count: 1 });
    const shown = await trace(number);
    const drawn = renderTrace(shown as unknown as RenderedRecord, { width: 120 });
    expect(drawn[0]).to.include('failed 500: sold out');
    await expectReplayEqual(app);
  });

  it('are routed by resource attributes if headers name no project', async () => {
    const [here, there, lost] = [nextTrace(), nextTrace(), nextTrace()];
    const named = (number: number, resource: Readonly<Record<string, string>>) =>
      otelRequest([otelSpan({ trace: number, id: 1 })], resource) as {
        readonly resourceSpans: readonly object[];
      };
    const body = {
      resourceSpans: [
        named(here, {
          'splunk_ao.project.name': 'otlp traces',
          'splunk_ao.logstream.name': 'nightly',
        }),
        named(there, { 'galileo.project.name': 'placed', 'session.id': 'by resource' }),
        named(lost, { 'splunk_ao.project.id': project, 'splunk_ao.experiment.id': project }),
      ].flatMap(({ resourceSpans }) => resourceSpans),
    };
    const reply = await app.client.send<Answer>('POST', '/v1/traces', { body });
    expect(reply.body.partialSuccess).to.deep.equal({
      rejectedSpans: '1',
      errorMessage: 'the resource names a place: Experiment not found',
    });
    const streams = await app.client.call<
      readonly { readonly id: string; readonly name: string }[]
    >('GET', `/v2/projects/${project}/log_streams`);
    const nightly = streams.body.find(({ name }) => name === 'nightly');
    expect((await trace(here))['run_id']).to.equal(nightly?.id);
    const projects = await app.client.call<
      readonly { readonly id: string; readonly name: string }[]
    >('GET', '/v2/projects');
    const placed = projects.body.find(({ name }) => name === 'placed')?.id ?? '';
    const path = `/v2/projects/${placed}/traces/${traceRecordId(there)}`;
    const { body: shown } = await app.client.call<View>('GET', path);
    expect(shown['session_id']).to.not.equal(shown.id);
    expect(shown['user_metadata']).to.deep.equal({});
  });
});
