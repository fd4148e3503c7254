import { randomUUID as id } from 'node:crypto';
import { expect } from 'chai';
import { persistentGet } from '../../command-api/traces/persistent-map.js';
import { type Trace } from '../../command-api/traces/trace.js';
import { idleAwareClock } from '../support/idle-aware-clock.js';
import { ingestHarness } from '../support/ingest-harness.js';
import { project } from '../support/small-service.js';

describe('POST spans', () => {
  const { service, run, post, send, head, stateOf, recordOf } = ingestHarness();

  it('adds to the tree and answers the place', async () => {
    const [trace, parent, child] = [id(), id(), id()];
    await send({ id: trace, session_id: id(), spans: [{ type: 'agent', id: parent }] });
    const body = {
      trace_id: trace,
      parent_id: parent,
      spans: [{ type: 'tool', id: child, spans: [{ type: 'tool' }] }],
    };
    const reply = await post('spans', body);
    expect(reply.status).to.equal(200);
    expect(reply.body).to.deep.equal({
      project_id: project,
      project_name: 'airline',
      log_stream_id: run(),
      experiment_id: null,
      metrics_testing_id: null,
      session_id: (await stateOf(trace))?.sessionId,
      records_count: 2,
      trace_id: trace,
      parent_id: parent,
      rejected: [],
      truncated: [],
    });
    expect(reply.position).to.equal(await head());
    expect(await recordOf(trace, child)).to.include({ type: 'tool', parent_id: parent });
  });

  it('waits for a trace that is on its way', async () => {
    const trace = id();
    const late = post('spans', { trace_id: trace, parent_id: trace, spans: [{ type: 'tool' }] });
    await send({ id: trace });
    expect((await late).status).to.equal(200);
  });

  it('answers 404 when the trace does not come within 2 s', async () => {
    const trace = id();
    const [began, waited] = [performance.now(), idleAwareClock()];
    const reply = await post('spans', {
      trace_id: trace,
      parent_id: trace,
      spans: [{ type: 'tool' }],
    });
    expect(reply.status).to.equal(404);
    expect(performance.now() - began).to.be.at.least(1_900);
    expect(waited()).to.be.at.most(4_000);
  });

  it('answers 404 for a trace of a deleted run', async () => {
    const [gone, trace] = [await service().newRun(), id()];
    await post('traces', { log_stream_id: gone, traces: [{ id: trace }] });
    await service().deleteRun(gone);
    const body = { trace_id: trace, parent_id: trace, spans: [{ type: 'tool' }] };
    expect((await post('spans', body)).status).to.equal(404);
  });

  it('answers 409 for known spans with other content, here or in another trace', async () => {
    const [trace, other, span] = [id(), id(), id()];
    await send({ id: trace, spans: [{ type: 'tool', id: span }] });
    await send({ id: other });
    const late = (to: string, input: string) =>
      post('spans', { trace_id: to, parent_id: to, spans: [{ type: 'tool', id: span, input }] });
    const before = await head();
    expect((await late(trace, '')).status).to.equal(200);
    expect((await late(trace, 'other')).status).to.equal(409);
    expect((await late(other, '')).body['detail']).to.contain(span);
    expect(await head()).to.equal(before);
  });

  it('records all of many spans sent one by one and at once', async () => {
    const trace = id();
    await send({ id: trace });
    const spans = Array.from({ length: 200 }, () => id());
    const replies = await Promise.all(
      spans.map((span) =>
        post('spans', { trace_id: trace, parent_id: trace, spans: [{ type: 'tool', id: span }] }),
      ),
    );
    expect(new Set(replies.map(({ status }) => status))).to.deep.equal(new Set([200]));
    const state = await stateOf(trace);
    expect(spans.filter((span) => persistentGet((state as Trace).records, span) === undefined)).to
      .be.empty;
  });
});

describe('PATCH spans', () => {
  const { run, patch, send, recordOf } = ingestHarness();

  it('changes what is given and answers the place', async () => {
    const [trace, span] = [id(), id()];
    await send({ id: trace, spans: [{ type: 'llm', id: span }] });
    const reply = await patch(`spans/${span}`, { output: 'b', metrics: { cost: 1 } });
    expect(reply.status).to.equal(200);
    expect(reply.body).to.include({
      log_stream_id: run(),
      records_count: 1,
      trace_id: trace,
      parent_id: trace,
      span_id: span,
    });
    expect(await recordOf(trace, span)).to.deep.include({
      output: { content: 'b', role: 'assistant' },
      metrics: { cost: 1 },
    });
  });

  it('answers 422 for a value that is not for the kind of the span', async () => {
    const span = id();
    await send({ spans: [{ type: 'tool', id: span }] });
    const reply = await patch(`spans/${span}`, { output: { content: 'a', role: 'user' } });
    expect(reply.status).to.equal(422);
    expect(reply.body['detail']).to.deep.equal([
      {
        loc: ['body', 'output'],
        msg: 'Value error, a record of type tool cannot have this output',
        type: 'value_error',
      },
    ]);
  });

  it('waits for a span that is on its way, then answers 404', async () => {
    const span = id();
    const early = patch(`spans/${span}`, { output: 'b' });
    await send({ spans: [{ type: 'tool', id: span }] });
    expect((await early).status).to.equal(200);
    expect((await patch(`spans/${id()}`, { output: 'b' })).status).to.equal(404);
  });
});
