import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { RunId } from '../../kernel/schema-types.js';
import type { Client } from '../support/client.js';
import { ingestService, type IngestService } from '../support/ingest-service.js';
import { project } from '../support/small-service.js';

type Answer = Readonly<Record<string, unknown>>;

describe('POST sessions', () => {
  let service: IngestService;
  let editor: Client;
  let run: RunId;
  before(async () => {
    service = await ingestService();
    editor = service.as('editor');
    run = await service.newRun();
  });
  after(() => service.close());

  const post = (body: object) =>
    editor.send<Answer>('POST', service.at('sessions'), { body: { log_stream_id: run, ...body } });
  const id = randomUUID;

  it('keeps the id and answers the session', async () => {
    const [session, previous] = [id(), id()];
    const reply = await post({
      id: session.toUpperCase(),
      name: 'support',
      previous_session_id: previous,
      external_id: 'one',
      user_metadata: { a: 'b', gone: null },
    });
    expect(reply.status).to.equal(200);
    expect(reply.body).to.deep.equal({
      id: session,
      name: 'support',
      project_id: project,
      project_name: 'airline',
      previous_session_id: previous,
      external_id: 'one',
    });
    expect(reply.position).to.equal(await service.log.head());
    const [event] = await service.log.read(`session-${project}-${session}` as never);
    expect(event?.data).to.deep.include({ user_metadata: { a: 'b' }, run_id: run, minted: false });
  });

  it('mints an id, and starts another session each time', async () => {
    const [first, second] = [await post({}), await post({})];
    expect(first.body['id']).to.match(/^[0-9a-f-]{36}$/);
    expect(second.body['id']).to.not.equal(first.body['id']);
    expect(first.body).to.include({ name: '', external_id: null, previous_session_id: null });
  });

  it('is the same when it is sent again, even by many at once', async () => {
    const body = { id: id(), name: 'a', external_id: id() };
    const replies = await Promise.all(Array.from({ length: 5 }, () => post(body)));
    expect(replies.map(({ status }) => status)).to.deep.equal(Array(5).fill(200));
    const before = await service.log.head();
    const reply = await post(body);
    expect(reply.body).to.deep.equal(replies[0]?.body);
    expect(await service.log.head()).to.equal(before);
  });

  it('answers a known external id as it is', async () => {
    const first = await post({ name: 'a', external_id: 'known' });
    const before = await service.log.head();
    const reply = await post({ name: 'b', external_id: 'known' });
    expect(reply.body).to.deep.equal(first.body);
    expect(await service.log.head()).to.equal(before);
  });

  it('answers 409 for a known id with other content, or another’s external id', async () => {
    const session = id();
    await post({ id: session, name: 'a', external_id: 'mine' });
    const other = await post({ id: session, name: 'b', external_id: 'mine' });
    expect(other.status).to.equal(409);
    expect(other.body['detail']).to.contain(session);
    expect((await post({ id: id(), external_id: 'mine' })).status).to.equal(409);
    const elsewhere = await service.newRun();
    expect((await post({ id: session, log_stream_id: elsewhere })).status).to.equal(409);
    expect((await post({ external_id: 'mine', log_stream_id: elsewhere })).status).to.equal(200);
  });

  it('is the session that traces join', async () => {
    const { body } = await post({ name: 'a', external_id: 'joined' });
    const traces = { log_stream_id: run, session_external_id: 'joined', traces: [{}] };
    const reply = await editor.call<Answer>('POST', service.at('traces'), { body: traces });
    expect(reply.body['session_id']).to.equal(body['id']);
  });

  it('answers 404 for an unknown run', async () => {
    expect((await post({ log_stream_id: id() })).status).to.equal(404);
  });

  it('answers 422 for two runs and for values beyond their limits', async () => {
    expect((await post({ experiment_id: id() })).status).to.equal(422);
    const reply = await post({ external_id: '' });
    expect(reply.body['detail']).to.deep.equal([
      {
        loc: ['body', 'external_id'],
        msg: 'String should have at least 1 character',
        type: 'string_too_short',
      },
    ]);
  });
});
