import { expect } from 'chai';
import { sharedApp } from '../support/app.js';

type Made = { readonly id: string };
const nested = (levels: number): object =>
  levels === 0
    ? { type: 'tool', input: 'in' }
    : { type: 'workflow', input: 'in', spans: [nested(levels - 1)] };

describe('spans within spans', () => {
  it('are taken as deep as 128 levels of JSON allow, and refused one level deeper', async () => {
    const { client } = await sharedApp();
    const project = await client.call<Made>('POST', '/v2/projects', { body: { name: 'nesting' } });
    const send = (levels: number) =>
      client.send('POST', `/v2/projects/${project.body.id}/traces`, {
        body: { traces: [{ input: 'in', spans: [nested(levels)] }] },
      });
    expect((await send(61)).status).to.equal(200);
    expect((await send(63)).status).to.equal(422);
  });
});

describe('a trace that was deleted with its log stream', () => {
  it('is not acknowledged again, because it could not be read', async () => {
    const { client } = await sharedApp();
    const project = await client.call<Made>('POST', '/v2/projects', { body: { name: 'gone' } });
    const root = `/v2/projects/${project.body.id}`;
    const stream = await client.call<Made>('POST', `${root}/log_streams`, { body: { name: 'l' } });
    const trace = { id: crypto.randomUUID(), input: 'in' };
    const log = { log_stream_id: stream.body.id, traces: [trace] };
    await client.call('POST', `${root}/traces`, { body: log });
    await client.call('DELETE', `${root}/log_streams/${stream.body.id}`);
    const again = await client.send('POST', `${root}/traces`, { body: { traces: [trace] } });
    expect(again.status).to.equal(409);
  });
});
