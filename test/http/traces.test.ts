import { randomUUID as id } from 'node:crypto';
import { expect } from 'chai';
import { traceStream } from '../../command-api/facts/traces.js';
import { ingestHarness } from '../support/ingest-harness.js';
import { foreignProject, project } from '../support/small-service.js';

describe('POST traces', () => {
  const { service, run, post, send, head, stateOf } = ingestHarness();

  it('answers as the contract shows', async () => {
    const trace = id();
    const sent = {
      id: trace,
      name: 'book',
      created_at: '2026-03-01T09:00:00Z',
      input: 'a flight, please',
      output: 'booked',
      metrics: { reward: 1 },
      spans: [{ type: 'llm', input: 'a flight, please', output: 'booked', model: 'model-a' }],
    };
    const reply = await send(sent);
    expect(reply.status).to.equal(200);
    expect(reply.body).to.deep.equal({
      project_id: project,
      project_name: 'airline',
      log_stream_id: run(),
      experiment_id: null,
      metrics_testing_id: null,
      session_id: null,
      records_count: 2,
      traces_count: 1,
      spans_count: 1,
      new_records_count: 2,
      trace_ids: [trace],
      rejected: [],
      truncated: [],
    });
    expect(reply.position).to.equal(await head());
  });

  it('records who logged it, how, and whether it ended', async () => {
    const trace = id();
    await send(
      { id: trace },
      {
        is_complete: false,
        logging_method: 'python_client',
        client_version: '1.2',
        reliable: false,
      },
    );
    const [event] = await service().log.read(traceStream(project, trace));
    expect(event?.data).to.include({
      is_complete: false,
      logging_method: 'python_client',
      client_version: '1.2',
      session_id: null,
      run_id: run(),
    });
    expect(event?.data).to.not.have.property('reliable');
  });

  it('puts records that name no run into the log stream default, made once', async () => {
    const replies = await Promise.all(
      Array.from({ length: 4 }, () => post('traces', { traces: [{}] })),
    );
    const runs = new Set(replies.map(({ body }) => body['log_stream_id']));
    expect(runs.size).to.equal(1);
    const made = (await service().history()).filter(
      ({ type, data }) =>
        type === 'LogStreamCreated' && (data as { name: string }).name === 'default',
    );
    expect(made).to.have.length(1);
  });

  it('is the same when it is sent again: no event, nothing new, the same position', async () => {
    const traces = [id(), id()].map((one) => ({
      id: one,
      spans: [{ type: 'tool', id: id(), spans: [{ type: 'tool' }] }],
    }));
    const body = { log_stream_id: run(), traces };
    const first = await post('traces', body);
    const before = await head();
    const second = await post('traces', body);
    expect(first.body).to.include({ records_count: 6, new_records_count: 6 });
    expect(second.body).to.deep.equal({ ...first.body, new_records_count: 0 });
    expect(await head()).to.equal(before);
    expect(second.position).to.equal(first.position);
  });

  it('records a trace once however many send it at once', async () => {
    const trace = { id: id(), input: 'a', spans: [{ type: 'tool', id: id() }] };
    const replies = await Promise.all(Array.from({ length: 8 }, () => send(trace)));
    expect(replies.map(({ status }) => status)).to.deep.equal(Array(8).fill(200));
    expect(await service().log.read(traceStream(project, trace.id))).to.have.length(1);
  });

  it('records exactly one of two different traces sent under one id at the same time', async () => {
    const trace = id();
    const replies = await Promise.all(['a', 'b'].map((input) => send({ id: trace, input })));
    expect(replies.map(({ status }) => status)).to.have.members([200, 409]);
  });

  it('answers 409 naming the ids with other content, after the others were recorded', async () => {
    const [known, fresh] = [id(), id()];
    await send({ id: known, input: 'a' });
    const reply = await post('traces', {
      log_stream_id: run(),
      traces: [{ id: known, input: 'b' }, { id: fresh }],
    });
    expect(reply.status).to.equal(409);
    expect(reply.body['code']).to.equal('conflict');
    expect(reply.body['detail']).to.contain(known).and.not.contain(fresh);
    expect(await stateOf(fresh)).to.not.equal(null);
  });

  it('answers 409 for a span that another trace has', async () => {
    const [span, trace] = [id(), id()];
    await send({ spans: [{ type: 'tool', id: span }] });
    const reply = await send({ id: trace, spans: [{ type: 'tool', id: span }] });
    expect(reply.status).to.equal(409);
    expect(reply.body['detail']).to.contain(span);
    expect(await stateOf(trace)).to.equal(null);
  });

  it('answers 404 for a run of no project, of another, of another kind, or deleted', async () => {
    const deleted = await service().newRun();
    await service().deleteRun(deleted);
    const foreign = await service().newRun(foreignProject);
    for (const selector of [
      { log_stream_id: id() },
      { log_stream_id: foreign },
      { log_stream_id: deleted },
      { experiment_id: run() },
    ]) {
      expect((await post('traces', { ...selector, traces: [{}] })).status).to.equal(404);
    }
  });

  it('answers 422 for two runs, whatever they are', async () => {
    const reply = await post('traces', {
      log_stream_id: run(),
      experiment_id: run(),
      traces: [{}],
    });
    expect(reply.status).to.equal(422);
    expect(reply.body).to.deep.equal({
      detail: [
        {
          loc: ['body'],
          msg:
            'Value error, at most one of log_stream_id, experiment_id and ' +
            'metrics_testing_id may be given',
          type: 'value_error',
        },
      ],
    });
  });

  it('takes the session of the trace, else of the request, else of the external id', async () => {
    const [own, asked] = [id(), id()];
    const body = {
      log_stream_id: run(),
      session_id: asked,
      traces: [{ id: id(), created_at: '2026-03-01T09:00:00Z', session_id: own }, { id: id() }],
    };
    expect((await post('traces', body)).body['session_id']).to.equal(asked);
    const started = (await service().history()).filter(({ type }) => type === 'SessionStarted');
    const made = started.map(({ data }) => data as { session_id: string; created_at: string });
    expect(made.find((one) => one.session_id === own)?.created_at).to.equal(
      '2026-03-01T09:00:00.000000Z',
    );
    expect((await stateOf(body.traces[0]?.id ?? ''))?.sessionId).to.equal(own);
    const external = { log_stream_id: run(), session_external_id: 'conversation', traces: [{}] };
    const [first, second] = [await post('traces', external), await post('traces', external)];
    expect(first.body['session_id']).to.be.a('string').and.equal(second.body['session_id']);
  });

  it('answers 409 for a session of another run', async () => {
    const session = id();
    await send({}, { session_id: session });
    const elsewhere = await service().newRun();
    const reply = await post('traces', {
      log_stream_id: elsewhere,
      session_id: session,
      traces: [{}],
    });
    expect(reply.status).to.equal(409);
    expect(reply.body['detail']).to.contain(session);
  });

  it('makes a retry without ids safe under an Idempotency-Key', async () => {
    const body = { log_stream_id: run(), traces: [{ input: 'once' }], include_trace_ids: true };
    const key = { 'Idempotency-Key': id() };
    const [first, second] = [await post('traces', body, key), await post('traces', body, key)];
    expect(second.body).to.deep.equal(first.body);
    expect(second.headers['idempotency-replayed']).to.equal('true');
  });

  it('stores a large trace whole', async () => {
    const trace = id();
    const spans = Array.from({ length: 30 }, () => ({
      type: 'tool',
      id: id(),
      input: 'x'.repeat(100_000),
    }));
    expect((await send({ id: trace, spans })).status).to.equal(200);
    expect((await service().log.read(traceStream(project, trace))).length).to.be.above(1);
    const before = await head();
    expect((await send({ id: trace, spans })).status).to.equal(200);
    expect(await head()).to.equal(before);
    expect((await stateOf(trace))?.sentSpans.map((span) => span.id)).to.deep.equal(
      spans.map((span) => span.id),
    );
  });

  it('is allowed to editors', async () => {
    const reply = await service()
      .as('viewer')
      .send('POST', service().at('traces'), {
        body: { traces: [{}] },
      });
    expect(reply.status).to.equal(403);
  });
});
