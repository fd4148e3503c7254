import { expect } from 'chai';
import { Type } from 'typebox';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { skipParkedEvent } from '../../command-api/parking/parked-events.js';
import { recordParkedDecision } from '../../command-api/parking/parked-decision.js';
import { systemClock } from '../../engines/node/clock.js';
import { randomIds } from '../../engines/node/ids.js';
import type { Document } from '../../kernel/documents.js';
import { Fault } from '../../kernel/fault.js';
import { logStart, streamNameOf, type EventLog, type Position } from '../../kernel/ports.js';
import type { Instant } from '../../kernel/schema-types.js';
import type { AnyProjection } from '../../projections/documents-model.js';
import { projectorStateCollection } from '../../projections/parking.js';
import { readSkippedEvents } from '../../projections/skipped-events.js';
import { openParkedDecisions } from '../../service/parked-decisions.js';
import { bothLogs } from '../support/both-logs.js';
import { temporaryFolder } from '../support/folder.js';
import { append, newEvent, projectorIn, type OpenProjector } from '../support/projector.js';
import { pollUntil } from '../support/poll-until.js';
import { projectId, runId, traceId, traceStream } from '../support/random-trace-logs.js';

/** The words said in a stream; cannot stand `bad`. */
const wordsSaid: AnyProjection = {
  collection: { name: 'words', version: 1, fields: {} },
  events: { Said: Type.Object({ word: Type.String() }) },
  keys: (event: { readonly stream: string }) => [event.stream],
  evolve: (
    document: Document<readonly string[]> | null,
    event: { readonly data: { readonly word: string } },
    key: string,
  ) => {
    if (event.data.word === 'bad') throw new Error('cannot stand it');
    return { key, scope: 's', fields: {}, body: [...(document?.body ?? []), event.data.word] };
  },
};
const room = streamNameOf('room', 'a');
const because = { projection: 'words', stream: room, reason: 'it was a slip', operator: 'ada' };

describe('an event that an operator skipped', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let open: OpenProjector;
  const begin = async () => {
    open = await projectorIn({ dir: folder.dir, projections: [wordsSaid] });
    await open.untilCaughtUp();
  };
  const needs = (log: EventLog = open.log) => ({ log, clock: systemClock, ids: randomIds });
  const rulings = (log?: EventLog) => openParkedDecisions(needs(log), open.projector);
  const said = async () => (await open.documents.get(wordsSaid.collection, room))?.body ?? null;
  const decisions = async () =>
    (await open.log.page(logStart, 100)).events.filter((one) =>
      one.stream.startsWith('operations-'),
    );
  const same = async (): Promise<void> => {
    for (const { name, difference } of await open.projector.verify(null)) {
      expect(difference, name).to.equal(null);
    }
  };
  beforeEach(async () => {
    folder = await temporaryFolder();
    await begin();
    for (const [at, word] of ['fine', 'bad', 'late'].entries()) {
      await append(open.log, room, at, newEvent('Said', { word }));
    }
    await open.untilCaughtUp();
  });
  afterEach(async () => {
    await open.close();
    await folder.remove();
  });

  it('is recorded in the log, and its stream continues after it', async () => {
    const [parked] = await open.projector.parked();
    expect(parked?.frames?.[0]).to.match(/^at .*evolve.*skipped-events\.test/);
    expect(await rulings().skip(because)).to.include({ revision: 1, parked: null });
    expect(await said()).to.deep.equal(['fine', 'late']);
    const [event] = await decisions();
    expect(event).to.deep.include({
      type: 'ParkedEventSkipped',
      data: { ...because, revision: 1, event_id: parked?.event_id },
    });
    expect(event?.metadata.organization_id).to.equal(null);
    expect(event?.stream).to.equal(`operations-${event?.metadata.at.slice(0, 7)}`);
    await same();
  });

  it('is skipped by a projector that only reads the decision, as in replicas', async () => {
    const [parked] = await open.projector.parked();
    const told = { ...because, revision: 1, event_id: parked?.event_id ?? '' };
    await recordParkedDecision(needs(), skipParkedEvent(told));
    await pollUntil('its stream goes on', 10_000, async () => {
      return JSON.stringify(await said()) === '["fine","late"]';
    });
    expect(await open.projector.parked()).to.deep.equal([]);
  });

  it("stays skipped when the projector's state is lost", async () => {
    await rulings().skip(because);
    await open.close();
    for (const end of ['', '-wal', '-shm']) {
      await rm(join(folder.dir, `documents.sqlite${end}`), { force: true });
    }
    await begin();
    expect(await said()).to.deep.equal(['fine', 'late']);
    expect(await open.projector.parked()).to.deep.equal([]);
    await open.projector.rebuild(null);
    expect(await said()).to.deep.equal(['fine', 'late']);
    await same();
  });

  it('leaves no gap when the parked streams are forgotten', async () => {
    const trace = traceStream(1);
    const event = (type: string, data: object) =>
      newEvent(type, { project_id: projectId, trace_id: traceId(1), ...data });
    const logged = { run_id: runId, run_kind: 'log_stream', logging_method: 'api_direct' };
    const record = { type: 'trace', id: traceId(1), created_at: 'no instant' };
    const members = { ...logged, session_id: null, is_complete: true, trace: record, spans: [] };
    await append(open.log, trace, 0, event('TraceLogged', members));
    await append(open.log, trace, 1, event('TraceUpdated', { changes: { output: 'one' } }));
    await open.untilCaughtUp();
    expect(await open.projector.parked()).to.have.length(2);
    await open.close();
    for (const end of ['', '-wal', '-shm']) {
      await rm(join(folder.dir, `documents.sqlite${end}`), { force: true });
    }
    await begin();
    await append(open.log, trace, 2, event('TraceUpdated', { changes: { output: 'two' } }));
    await open.untilCaughtUp();
    const status = await open.projector.status();
    expect(status.map(({ stalled }) => stalled)).to.deep.equal([null, null]);
    expect(await open.projector.parked()).to.have.length(2);
    await same();
  });

  it('is skipped at the next start when the process died before', async () => {
    const [parked] = await open.projector.parked();
    const { event_id = '', revision } = parked ?? expect.fail('nothing is parked');
    await recordParkedDecision(needs(), skipParkedEvent({ ...because, event_id, revision }));
    expect(await said()).to.deep.equal(['fine']);
    await open.close();
    await begin();
    expect(await said()).to.deep.equal(['fine', 'late']);
    expect(await open.projector.parked()).to.deep.equal([]);
  });

  it('stays parked while the decision cannot be recorded', async () => {
    const refusing: EventLog = {
      ...open.log,
      append: async () => Promise.reject(new Fault('unavailable', 'The disk is full')),
    };
    for (const what of ['skip', 'retry'] as const) {
      const asked = rulings(refusing);
      const refusal: unknown = await asked[what](because).catch((error: unknown) => error);
      expect(refusal).to.include({ code: 'unavailable' });
    }
    expect((await open.projector.parked()).map(({ attempts }) => attempts)).to.deep.equal([1]);
    expect(await decisions()).to.deep.equal([]);
  });

  it('is skipped where an earlier version recorded it, beside the read models', async () => {
    const key = `skipped/words/${room}@1`;
    const fields = { kind: 'skipped', projection: 'words' };
    const body = { projection: 'words', stream: room, revision: 1 };
    const document = { key, scope: 'service', fields, body };
    const position = '0000000000001000' as Position;
    await open.documents.apply(projectorStateCollection, [{ key, document }], {
      position,
      fence: 1,
    });
    await open.close();
    await begin();
    expect(await said()).to.deep.equal(['fine', 'late']);
    await open.projector.rebuild('words');
    expect(await said()).to.deep.equal(['fine', 'late']);
  });

  it('must be parked: decisions about other events are refused', async () => {
    const refused = async (ruling: typeof because): Promise<string> =>
      rulings()
        .skip(ruling)
        .then(
          () => 'done',
          (error: unknown) => (error as Fault).message,
        );
    const elsewhere = streamNameOf('room', 'b');
    expect(await refused({ ...because, stream: elsewhere })).to.include('has not parked room-b');
    expect(await refused({ ...because, projection: 'wurds' })).to.include(
      'no read model is called wurds; there are records, words',
    );
    expect(await decisions()).to.deep.equal([]);
  });

  it('is retried on each request, and each retry is logged', async () => {
    for (const attempts of [2, 3]) {
      const { parked } = await rulings().retry(because);
      expect(parked?.attempts).to.equal(attempts);
    }
    expect((await decisions()).map(({ type }) => type)).to.deep.equal([
      'ParkedStreamRetried',
      'ParkedStreamRetried',
    ]);
  });

  it('is applied to a paused read model when that resumes', async () => {
    await rulings().pause('words');
    await append(open.log, streamNameOf('room', 'b'), 0, newEvent('Said', { word: 'other' }));
    await rulings().resume({ projection: 'words', reason: 'the disk has room', operator: 'ada' });
    await open.untilCaughtUp();
    expect((await decisions()).map(({ data }) => (data as { stream: null }).stream)).to.deep.equal([
      null,
    ]);
  });
});

for (const [engine, openLog] of bothLogs) {
  describe(`decisions of operators, on ${engine}`, () => {
    it('are found by month, whatever happened before and since', async () => {
      const { log, close } = await openLog();
      try {
        const said = (word: string) => newEvent('Said', { word });
        await append(log, room, 0, said('first'));
        const ruling = { ...because, event_id: randomIds.next('EventId'), revision: 7 };
        for (const now of ['2026-04-30T23:59:59', '2026-05-01T00:00:00', '2027-01-31T12:00:00']) {
          const clock = { now: () => `${now}.000000Z` as Instant };
          const place = { ...ruling, stream: `room-of-${now}` };
          await recordParkedDecision({ log, ids: randomIds, clock }, skipParkedEvent(place));
          await recordParkedDecision({ log, ids: randomIds, clock }, skipParkedEvent(place));
        }
        const decode = (_type: string, _schema: number, data: unknown): unknown => data;
        const until = (now: string) => ({
          ...systemClock,
          now: () => `${now}T00:00:00.000000Z` as Instant,
        });
        const found = async (now: string) =>
          (await readSkippedEvents({ reader: log, decode, clock: until(now) })).map(
            (one) => one.stream,
          );
        expect(await found('2027-02-28')).to.deep.equal([
          'room-of-2026-04-30T23:59:59',
          'room-of-2026-05-01T00:00:00',
          'room-of-2027-01-31T12:00:00',
        ]);
        expect(await found('2026-04-30')).to.have.length(2);
        expect((await log.page(logStart, 100)).events).to.have.length(4);
      } finally {
        await close();
      }
    });
  });
}
