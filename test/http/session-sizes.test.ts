import { randomUUID as id } from 'node:crypto';
import { expect } from 'chai';
import { sizedSessionStream } from '../../command-api/traces/session-sizes.js';
import { appendEvents } from '../../kernel/transact.js';
import type { SessionId } from '../../kernel/schema-types.js';
import { ingestHarness } from '../support/ingest-harness.js';
import { authorAt } from '../support/test-log.js';
import { project } from '../support/small-service.js';

describe('traces of one session', () => {
  const { service, run, post } = ingestHarness();

  const sizeOf = async (session: string): Promise<readonly unknown[]> =>
    (await service().log.read(sizedSessionStream(project, session as SessionId))).map(
      ({ data }) => (data as { readonly traces: number }).traces,
    );
  /** Grows the session as if so many traces had been logged before this process began. */
  const grew = async (session: string, traces: number): Promise<void> => {
    const name = sizedSessionStream(project, session as SessionId);
    const data = { project_id: project, session_id: session, traces };
    const events = [{ type: 'SessionGrew', data }];
    await appendEvents(service().log, [{ stream: name, events }], authorAt());
  };
  const log = (session: string, traces: readonly object[]) =>
    post('traces', { log_stream_id: run(), session_id: session, traces });

  it('are counted in the log by the thousand, and repeats are not', async () => {
    const session = id();
    const some = Array.from({ length: 600 }, () => ({ id: id() }));
    await log(session, some);
    await log(session, some);
    expect(await sizeOf(session)).to.deep.equal([]);
    await log(
      session,
      Array.from({ length: 600 }, () => ({})),
    );
    expect(await sizeOf(session)).to.deep.equal([1_200]);
  });

  it('are 100,000 at most; repeats and other sessions are still accepted', async () => {
    const session = id();
    await grew(session, 99_999);
    const last = { id: id(), input: 'last' };
    expect((await log(session, [last])).status).to.equal(200);
    const elsewhere = { id: id(), session_id: id() };
    const refused = await log(session, [{ id: id() }, last, elsewhere]);
    expect(refused.status).to.equal(409);
    expect(refused.body['code']).to.equal('conflict');
    expect(refused.body['detail']).to.equal(
      `These sessions have 100000 traces and take no more: ${session}`,
    );
    expect((await log(session, [last])).status).to.equal(200);
    expect((await log(elsewhere.session_id, [elsewhere])).status).to.equal(200);
  });
});
