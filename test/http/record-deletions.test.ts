import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { openReadOnlyLog } from '../../service/log-reader.js';
import { readConfig } from '../../config.js';
import { expectReplayEqual, startApp, type App } from '../support/app.js';
import type { Client, Reply } from '../support/client.js';
import { expectInvalid, expectRefused, keyRing } from '../support/key-ring.js';
import { pollUntil } from '../support/poll-until.js';

type Deleted = {
  readonly message: string;
  readonly deleted_count: number;
  readonly remaining: boolean;
};

describe('deleting records over HTTP', function () {
  let app: App;
  let root: string;
  let run: string;
  before(async () => {
    app = await startApp();
  });
  after(async () => {
    await expectReplayEqual(app);
    await app.close();
  });
  beforeEach(async () => {
    const project = await app.client.call<{ id: string }>('POST', '/v2/projects', {
      body: { name: randomUUID() },
    });
    root = `/v2/projects/${project.body.id}`;
    const stream = await app.client.call<{ id: string }>('POST', `${root}/log_streams`, {
      body: { name: 'one' },
    });
    run = stream.body.id;
  });

  const remove = (kind: string, body: object, as: Client = app.client): Promise<Reply<Deleted>> =>
    as.send('POST', `${root}/${kind}/delete`, { body });
  const log = async (traces: readonly object[], more: object = {}): Promise<void> => {
    await app.client.call('POST', `${root}/traces`, {
      body: { log_stream_id: run, traces, ...more },
    });
  };
  const count = async (kind: string): Promise<number> => {
    const { body } = await app.client.call<{ total_count: number }>(
      'POST',
      `${root}/${kind}/count`,
      { body: {} },
    );
    return body.total_count;
  };
  const named = (value: string) => ({
    filters: [{ type: 'text', name: 'name', operator: 'eq', value }],
  });

  it('chooses records by their number, whatever the length of their texts', async () => {
    const traces = Array.from({ length: 10 }, () => ({ name: 'long', input: 'x'.repeat(2 ** 20) }));
    await log(traces);
    const dry = await remove('traces', { ...named('long'), dry_run: true });
    expect(dry.body).to.include({ matched_count: 10, remaining: true });
    expect((dry.body as unknown as { ids: string[] }).ids).to.have.length(10);
    const { body } = await remove('traces', named('long'));
    expect(body).to.include({ deleted_count: 10, remaining: false });
  });

  it('deletes nothing by an unknown column, and names it', async () => {
    await log([{ metrics: { reward: 1 } }, { metrics: { reward: 0 } }]);
    const by = (name: string, operator: string, more: object = {}) => ({
      filters: [{ type: 'number', name, operator, value: 1 }],
      ...more,
    });
    for (const more of [{}, { dry_run: true }]) {
      const refused = await remove('traces', by('metrics/rewrad', 'ne', more));
      expectInvalid(refused, ['body', 'filters'], 'value_error');
      const none = await remove('traces', by('metrics/rewrad', 'eq', more));
      expect(none.body).to.deep.include({
        deleted_count: 0,
        unknown_columns: ['metrics/rewrad'],
      });
    }
    const text = { type: 'text', name: 'user_metadata/evn', operator: 'ne', value: 'prod' };
    expectInvalid(await remove('traces', { filters: [text] }), ['body', 'filters'], 'value_error');
    expect(await count('traces')).to.equal(2);
    expect((await remove('traces', by('metrics/reward', 'ne'))).body.deleted_count).to.equal(1);
  });

  it('deletes the traces that match with their spans, and no others', async () => {
    const id = randomUUID();
    const spans = [{ type: 'tool', name: 'work', input: 'x' }];
    await log([{ id, name: 'gone', spans }, { name: 'gone' }, { name: 'kept', spans }]);
    const deleted = await remove('traces', named('gone'));
    expect(deleted.body).to.deep.equal({
      message: '2 traces are deleted.',
      deleted_count: 2,
      remaining: false,
    });
    expect(await count('traces')).to.equal(1);
    expect(await count('spans')).to.equal(1);
    expectRefused(await app.client.send('GET', `${root}/traces/${id}`), 404, 'not_found');
    const changed = await app.client.send('PATCH', `${root}/traces/${id}`, {
      body: { output: 'late' },
    });
    expectRefused(changed, 404, 'not_found');
    expect((await remove('traces', named('gone'))).body.deleted_count).to.equal(0);
  });

  it('says what would be deleted when the run is dry, and appends nothing', async () => {
    const [id, other] = [randomUUID(), randomUUID()];
    await log([{ id, name: 'gone' }, { id: other, name: 'gone' }, { name: 'kept' }]);
    const { reader, close } = await openReadOnlyLog(readConfig({ ASSAY_DATA_DIR: app.dir }));
    const types = ['RecordsDeleted', 'TraceDeleted'];
    const before = await reader.head();
    const dry = await remove('traces', { ...named('gone'), dry_run: true });
    expect(dry.body).to.deep.include({
      message: '2 traces would be deleted.',
      deleted_count: 0,
      remaining: true,
      matched_count: 2,
    });
    expect((dry.body as unknown as { ids: string[] }).ids).to.have.members([id, other]);
    const none = await remove('sessions', { ...named('gone'), dry_run: true });
    expect(none.body).to.deep.equal({
      message: '0 sessions would be deleted.',
      deleted_count: 0,
      remaining: false,
      matched_count: 0,
      ids: [],
    });
    expect(await count('traces')).to.equal(3);
    expect((await reader.page(before, 1_000, types)).events).to.deep.equal([]);
    await close();
  });

  it('deletes sessions with all their traces', async () => {
    const session = await app.client.call<{ session_id?: string; id?: string }>(
      'POST',
      `${root}/sessions`,
      { body: { log_stream_id: run, name: 'talk' } },
    );
    const id = session.body.session_id ?? session.body.id;
    await log([{ name: 'in' }, { name: 'in too' }], { session_id: id });
    await log([{ name: 'out' }]);
    expect((await remove('sessions', named('talk'))).body.deleted_count).to.equal(1);
    expect(await count('sessions')).to.equal(0);
    expect(await count('traces')).to.equal(1);
    expectRefused(await app.client.send('GET', `${root}/sessions/${id}`), 404, 'not_found');
  });

  it('answers that an id logged again was deleted, even once it is erased', async () => {
    const { reader, close } = await openReadOnlyLog(readConfig({ ASSAY_DATA_DIR: app.dir }));
    const trace = randomUUID();
    const session = randomUUID();
    await app.client.call('POST', `${root}/sessions`, {
      body: { log_stream_id: run, id: session, name: 'talk' },
    });
    await log([{ id: trace, name: 'gone' }], { session_id: session });
    await remove('sessions', named('talk'));
    const said = async (): Promise<readonly unknown[]> => {
      const again = { log_stream_id: run, traces: [{ id: trace, name: 'gone' }] };
      const into = { log_stream_id: run, session_id: session, traces: [{ name: 'new' }] };
      const begun = { log_stream_id: run, id: session, name: 'talk' };
      const replies = [
        await app.client.send<{ detail: string }>('POST', `${root}/traces`, { body: again }),
        await app.client.send<{ detail: string }>('POST', `${root}/traces`, { body: into }),
        await app.client.send<{ detail: string }>('POST', `${root}/sessions`, { body: begun }),
      ];
      for (const reply of replies) expectRefused(reply, 409, 'conflict');
      return replies.map(({ body }) => body.detail);
    };
    const expected = [
      `These were deleted and keep their ids: ${trace}`,
      `Session ${session} was deleted`,
      `Session ${session} was deleted`,
    ];
    expect(await said()).to.deep.equal(expected);
    const project = root.split('/').at(-1);
    await pollUntil('both streams are erased', 10_000, async () => {
      const traces = await reader.streams(`trace-${project}-`, null, 10);
      const sessions = await reader.streams(`session-${project}-`, null, 10);
      return traces.length + sessions.length === 0;
    });
    expect(await said()).to.deep.equal(expected);
    await close();
  });

  it('deletes at most 1,000 at once and says that more remain', async () => {
    for (let times = 0; times < 2; times += 1) {
      await log(Array.from({ length: 501 }, () => ({ name: 'many' })));
    }
    const first = await remove('traces', { log_stream_id: run });
    expect(first.body).to.include({ deleted_count: 1_000, remaining: true });
    const second = await remove('traces', { log_stream_id: run });
    expect(second.body).to.include({ deleted_count: 2, remaining: false });
    expect(await count('traces')).to.equal(0);
  });

  it('erases the content of what it deleted from the log', async () => {
    await log([{ id: randomUUID(), name: 'gone', input: 'a secret' }, { name: 'kept' }]);
    await remove('traces', named('gone'));
    const { reader, close } = await openReadOnlyLog(readConfig({ ASSAY_DATA_DIR: app.dir }));
    const prefix = `trace-${root.split('/').at(-1)}-`;
    await pollUntil('one stream is left', 10_000, async () => {
      const names = await reader.streams(prefix, null, 10);
      return names.length === 1;
    });
    await close();
  });

  it('requires a selector, and refuses what searches refuse', async () => {
    expectInvalid(await remove('traces', {}), ['body'], 'value_error');
    expectInvalid(await remove('traces', { filters: [] }), ['body'], 'value_error');
    expectInvalid(
      await remove('traces', {
        filters: [{ type: 'text', name: 'nothing', operator: 'eq', value: 'x' }],
      }),
      ['body', 'filters', '0', 'name'],
      'value_error',
    );
    expectRefused(await remove('traces', { log_stream_id: randomUUID() }), 404, 'not_found');
  });

  it('is allowed to owners only', async () => {
    const keys = keyRing(app);
    const { as } = await keys.make({ project_id: root.split('/').at(-1), project_role: 'editor' });
    for (const kind of ['traces', 'sessions']) {
      expectRefused(await remove(kind, { log_stream_id: run }, as), 403, 'forbidden');
    }
    keys.close();
  });
});
