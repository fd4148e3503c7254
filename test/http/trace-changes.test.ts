import { randomUUID as id } from 'node:crypto';
import { expect } from 'chai';
import { traceStream } from '../../command-api/facts/traces.js';
import { ingestHarness } from '../support/ingest-harness.js';
import { project } from '../support/small-service.js';

describe('PATCH traces', () => {
  const { service, run, patch, send, head, stateOf, recordOf } = ingestHarness();

  it('changes what is given and answers the place', async () => {
    const trace = id();
    await send({ id: trace, input: 'a', tags: ['a'] }, { is_complete: false });
    const reply = await patch(`traces/${trace}`, {
      output: 'b',
      tags: ['b'],
      is_complete: true,
      duration_ns: 5,
    });
    expect(reply.status).to.equal(200);
    expect(reply.body).to.deep.equal({
      project_id: project,
      project_name: 'airline',
      log_stream_id: run(),
      experiment_id: null,
      metrics_testing_id: null,
      session_id: null,
      records_count: 1,
      traces_count: 1,
      spans_count: 0,
      trace_id: trace,
    });
    expect(reply.position).to.equal(await head());
    expect(await recordOf(trace)).to.include({ input: 'a', output: 'b' });
    expect(await recordOf(trace)).to.deep.include({
      tags: ['a', 'b'],
      metrics: { duration_ns: 5 },
    });
    expect((await stateOf(trace))?.isComplete).to.equal(true);
  });

  it('leaves no event when nothing changes', async () => {
    const trace = id();
    await send({ id: trace, output: 'b' });
    const before = await head();
    const reply = await patch(`traces/${trace}`, { output: 'b' });
    expect([reply.status, await head()]).to.deep.equal([200, before]);
  });

  it('records all of many simultaneous changes', async () => {
    const trace = id();
    await send({ id: trace });
    const names = Array.from({ length: 30 }, (_, index) => `m${index}`);
    const replies = await Promise.all(
      names.map((name) => patch(`traces/${trace}`, { metrics: { [name]: 1 }, tags: [name] })),
    );
    expect(new Set(replies.map(({ status }) => status))).to.deep.equal(new Set([200]));
    const record = await recordOf(trace);
    expect(Object.keys(record?.metrics ?? {}).sort()).to.deep.equal([...names].sort());
    expect([...(record?.tags ?? [])].sort()).to.deep.equal([...names].sort());
  });

  it('answers 404 for an unknown and for an erased trace', async () => {
    const trace = id();
    await send({ id: trace });
    await patch(`traces/${trace}`, { output: 'a' });
    await service().log.erase(traceStream(project, trace));
    const replies = await Promise.all([trace, id()].map((one) => patch(`traces/${one}`, {})));
    expect(replies.map(({ status }) => status)).to.deep.equal([404, 404]);
    const again = await send({ id: trace });
    expect(again.status).to.equal(409);
    expect(again.body['detail']).to.contain(trace);
  });

  it('answers 422 beyond the tags that a record may have', async () => {
    const trace = id();
    await send({ id: trace, tags: ['a'] });
    const tags = Array.from({ length: 100 }, (_, index) => `t${index}`);
    const reply = await patch(`traces/${trace}`, { tags });
    expect(reply.status).to.equal(422);
    expect(reply.body['detail']).to.deep.equal([
      {
        loc: ['body', 'tags'],
        msg: 'List should have at most 100 items, not 101',
        type: 'too_long',
      },
    ]);
  });
});
