import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { sharedApp } from '../support/app.js';
import { recordedProject, type RecordedProject } from '../support/recorded-project.js';
import { pollUntil } from '../support/poll-until.js';

describe('a stored response', () => {
  let project: RecordedProject;
  before(async () => {
    project = await recordedProject();
  });
  /** A write under one key, repeated by each call. */
  const keyed = async (path: string, body: object) => {
    const { client } = await sharedApp();
    const headers = { 'Idempotency-Key': randomUUID() };
    return () =>
      client.send<{ readonly id: string }>('POST', `/v2/projects/${project.id}/${path}`, {
        headers,
        body,
      });
  };

  it('replays the record of a session until the session is deleted', async () => {
    const name = `call ${randomUUID()}`;
    const body = { log_stream_id: project.run, name, external_id: `of ${name}` };
    const create = await keyed('sessions', body);
    const first = await create();
    expect(first.body).to.include({ name, external_id: `of ${name}` });
    const again = await create();
    expect([again.status, again.body]).to.deep.equal([200, first.body]);
    expect(again.headers).to.include({
      'idempotency-replayed': 'true',
      'x-log-position': first.headers['x-log-position'],
    });
    const filters = [{ name: 'id', operator: 'eq', value: first.body.id, type: 'id' }];
    const selector = { log_stream_id: project.run, filters };
    const deleted = await project.post<{ deleted_count: number }>('sessions/delete', selector);
    expect(deleted.deleted_count).to.equal(1);
    expect((await create()).status).to.equal(404);
  });

  it('is deleted with its run, before its 24 hours end', async () => {
    const create = await keyed('log_streams', { name: `stream ${randomUUID()}` });
    const { body } = await create();
    expect((await create()).body).to.deep.equal(body);
    const { client } = await sharedApp();
    await client.call('DELETE', `/v2/projects/${project.id}/log_streams/${body.id}`);
    await pollUntil('it is erased', 20_000, async () => (await create()).status === 404);
  });
});
