import { expect } from 'chai';
import { reservationStream } from '../../command-api/facts/reservations.js';
import {
  openSessionRepository,
  type SessionsRequest,
} from '../../command-api/sessions/session-repository.js';
import { join, sessions, sessionStream, start } from '../../command-api/sessions/sessions.js';
import { decode } from '../../events/codec.js';
import type { SessionEvent, SessionStarted } from '../../events/traces.js';
import { openBus } from '../../engines/memory/bus.js';
import { randomIds } from '../../engines/node/ids.js';
import { openEventLog } from '../../engines/sqlite/event-log.js';
import type { Fault } from '../../kernel/fault.js';
import type { EventLog } from '../../kernel/ports.js';
import type { Instant, RunId, SessionId } from '../../kernel/schema-types.js';
import { loadStreamState, appendEvents } from '../../kernel/transact.js';
import { temporaryFolder } from '../support/folder.js';
import { deciderSpec } from '../support/decider-spec.js';
import { noon, projectId, run, uuid, authorAtNoon } from '../support/trace-batches.js';

const id = uuid(70) as SessionId;
const other = uuid(71) as SessionId;
const session: SessionStarted = {
  project_id: projectId,
  run_id: run.id,
  run_kind: 'log_stream',
  session_id: id,
  name: 'a',
  external_id: null,
  previous_session_id: null,
  user_metadata: { a: 'b' },
  created_at: noon,
  minted: false,
};
const started = (data: SessionStarted): SessionEvent => ({ type: 'SessionStarted', data });
const deleted: SessionEvent = {
  type: 'SessionDeleted',
  data: { project_id: projectId, session_id: id },
};
const given = deciderSpec(sessions);

describe('starting a session', () => {
  it('records it', () => given().when(start(session)).then(started(session)));
  it('is quiet when the same comes again, at another time', () =>
    given(started(session))
      .when(start({ ...session, created_at: '2026-03-02T00:00:00.000000Z' as Instant }))
      .thenNothing());
  for (const more of [
    { name: 'b' },
    { external_id: 'x' },
    { previous_session_id: other },
    { user_metadata: {} },
    { run_id: uuid(9) as RunId },
  ]) {
    it(`refuses another ${Object.keys(more).join()}`, () =>
      given(started(session))
        .when(start({ ...session, ...more }))
        .thenRejected('conflict', id));
  }
  it('refuses the id of a deleted session', () =>
    given(started(session), deleted).when(start(session)).thenRejected('conflict', 'was deleted'));
});

describe('joining a session', () => {
  it('makes it when it is missing', () => given().when(join(session)).then(started(session)));
  it('is quiet whatever the session says about itself', () =>
    given(started(session))
      .when(join({ ...session, name: '' }))
      .thenNothing());
  it('refuses one of another run', () =>
    given(started(session))
      .when(join({ ...session, run_id: uuid(9) as RunId }))
      .thenRejected('conflict', 'belongs to another run'));
});

describe('the repository of sessions', () => {
  let log: EventLog;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  before(async () => {
    folder = await temporaryFolder();
    const bus = openBus(folder.dir);
    log = await openEventLog({ dir: folder.dir, bus, decode });
  });
  after(async () => {
    await log.close();
    await folder.remove();
  });

  const asker = () => ({
    cause: authorAtNoon(),
    mint: <Name extends string>(name: Name) => randomIds.next(name),
  });
  const asked = (external: string | null, ids: readonly SessionId[] = []): SessionsRequest => ({
    projectId,
    run: { id: run.id, kind: 'log_stream' },
    ids: new Map(ids.map((one) => [one, noon])),
    external: external === null ? null : { id: external, createdAt: noon },
  });
  const repository = () => openSessionRepository({ log, ids: randomIds });
  const refused = async (work: Promise<unknown>): Promise<string> => {
    try {
      await work;
      return 'accepted';
    } catch (error) {
      return (error as Fault).code;
    }
  };
  const fresh = (): SessionId => randomIds.next('SessionId');
  const stateOf = async (one: string) =>
    (await loadStreamState(log, sessionStream(projectId, one), sessions)).state;

  it('creates each session once under concurrent requests', async () => {
    const ids = [fresh(), fresh()];
    await Promise.all(
      Array.from({ length: 5 }, () => repository().joinSessions(asked(null, ids), asker())),
    );
    for (const one of ids) {
      expect(await log.read(sessionStream(projectId, one))).to.have.length(1);
      expect((await stateOf(one))?.started).to.include({ name: '', created_at: noon });
    }
  });
  it('gives an external id to one session of the run under concurrent requests', async () => {
    const joined = await Promise.all(
      Array.from({ length: 5 }, () => repository().joinSessions(asked('conversation'), asker())),
    );
    const found = new Set(joined.map(({ external }) => external));
    expect(found.size).to.equal(1);
    const elsewhere = { ...asked('conversation'), run: { ...run, id: uuid(9) as RunId } };
    const { external } = await repository().joinSessions(elsewhere, asker());
    expect(found.has(external)).to.equal(false);
  });
  it('finishes what a crash between the claim and the session left', async () => {
    const holder = fresh();
    const digest = randomIds.derive('Reservation', projectId, run.id, 'crash');
    const stream = reservationStream('session', digest);
    const claimed = [{ type: 'NameClaimed', data: { holder } }];
    await appendEvents(log, [{ stream, events: claimed }], authorAtNoon());
    const { external } = await repository().joinSessions(asked('crash'), asker());
    expect(external).to.equal(holder);
    expect((await stateOf(holder))?.started.external_id).to.equal('crash');
  });
  it('gives the external id of an erased session to a new one', async () => {
    const { external } = await repository().joinSessions(asked('erased'), asker());
    await log.erase(sessionStream(projectId, external as SessionId));
    const again = await repository().joinSessions(asked('erased'), asker());
    expect(again.external).to.not.equal(external);
    expect((await stateOf(again.external as SessionId))?.started.external_id).to.equal('erased');
  });
  it('answers the known session when an external id comes without an id', async () => {
    const first = { ...session, session_id: fresh(), external_id: 'known', minted: true };
    await repository().begin(first, authorAtNoon());
    const again = await repository().begin(
      { ...first, session_id: fresh(), name: 'other' },
      authorAtNoon(),
    );
    expect(again.session.started).to.deep.equal(first);
  });
  it('refuses a known external id that comes with another id', async () => {
    const first = { ...session, session_id: fresh(), external_id: 'taken' };
    await repository().begin(first, authorAtNoon());
    expect(await refused(repository().begin(first, authorAtNoon()))).to.equal('accepted');
    expect(
      await refused(repository().begin({ ...first, session_id: fresh() }, authorAtNoon())),
    ).to.equal('conflict');
    expect(
      await refused(repository().begin({ ...first, external_id: 'new name' }, authorAtNoon())),
    ).to.equal('conflict');
    expect((await repository().joinSessions(asked('new name'), asker())).external).to.not.equal(
      first.session_id,
    );
  });
  it('refuses to join a session of another run', async () => {
    const mine = fresh();
    await repository().begin(
      { ...session, session_id: mine, run_id: uuid(9) as RunId },
      authorAtNoon(),
    );
    expect(await refused(repository().joinSessions(asked(null, [mine]), asker()))).to.equal(
      'conflict',
    );
  });
});
