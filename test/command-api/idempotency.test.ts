import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import {
  recordResponse,
  claimKey,
  claims,
  releaseKey,
} from '../../command-api/idempotency/claims.js';
import { recordSalt } from '../../command-api/idempotency/salts.js';
import { openIdempotency } from '../../command-api/idempotency/idempotent-execution.js';
import { streamPrefixesOf } from '../../command-api/erasures/stream-prefixes.js';
import { openResponseExpiry } from '../../command-api/idempotency/worker.js';
import { decode } from '../../events/codec.js';
import type { IdempotencyEvent } from '../../events/idempotency.js';
import { openBus } from '../../engines/memory/bus.js';
import { randomIds } from '../../engines/node/ids.js';
import { openEventLog } from '../../engines/sqlite/event-log.js';
import { isRejection } from '../../kernel/decision.js';
import { Fault } from '../../kernel/fault.js';
import { logStart, streamNameOf, type EventLog, type StoredEvent } from '../../kernel/ports.js';
import type { Instant } from '../../kernel/schema-types.js';
import { appendEvents } from '../../kernel/transact.js';
import { temporaryFolder } from '../support/folder.js';

const at = (time: string) => `2026-03-${time}.000000Z` as Instant;
const noon = at('01T12:00:00');
const claimed = (
  fingerprint: string,
  seed: string,
  time = noon,
  since = time,
): IdempotencyEvent => ({
  type: 'IdempotencyClaimed',
  data: { fingerprint: `${fingerprint} of the 1st`, day: '2026-03-01', seed, since, at: time },
});
/** Fingerprints of a request: with the salt of the 1st, and unsalted as before there were salts. */
const printed = (fingerprint: string) => ({
  prints: new Map([
    ['2026-03-01', `${fingerprint} of the 1st`],
    [null, fingerprint],
  ]),
  day: '2026-03-01',
});
type Claimed = Extract<IdempotencyEvent, { readonly type: 'IdempotencyClaimed' }>;
const answered: IdempotencyEvent = {
  type: 'IdempotencyAnswered',
  data: { status: 200, body: { id: 'x' }, position: null },
};
const released: IdempotencyEvent = { type: 'IdempotencyReleased', data: {} };
const folded = (events: readonly IdempotencyEvent[]) =>
  events.reduce(claims.evolve, claims.initial);

describe('claiming an Idempotency-Key', () => {
  const when = (time: Instant, ...given: readonly IdempotencyEvent[]) => ({
    claims: (fingerprint: string) =>
      claimKey({ ...printed(fingerprint), seed: 'new', at: time, deadBefore: null })(folded(given)),
  });
  const refusal = (decision: ReturnType<ReturnType<typeof when>['claims']>) =>
    isRejection(decision) ? decision.rejected : decision;

  it('records the first request', () =>
    expect(when(noon).claims('a')).to.deep.equal([claimed('a', 'new')]));
  it('has no effect once a response is stored', () =>
    expect(when(noon, claimed('a', 's'), answered).claims('a')).to.deep.equal([]));
  it('refuses another request', () => {
    expect(refusal(when(noon, claimed('a', 's'), answered).claims('b'))).to.equal('invalid');
    expect(refusal(when(noon, claimed('a', 's')).claims('b'))).to.equal('invalid');
  });
  it('refuses while the first is running', () =>
    expect(refusal(when(at('01T12:00:29'), claimed('a', 's')).claims('a'))).to.equal(
      'idempotency-in-progress',
    ));
  it('takes over an expired claim, with its seed', () =>
    expect(when(at('01T12:00:30'), claimed('a', 's')).claims('a')).to.deep.equal([
      claimed('a', 's', at('01T12:00:30'), noon),
    ]));
  it('takes over at once from a process that was alone and is dead', () => {
    const wanted = { ...printed('a'), seed: 'new', at: at('01T12:00:02') };
    const taken = claimKey({ ...wanted, deadBefore: at('01T12:00:01') })(
      folded([claimed('a', 's')]),
    );
    expect(taken).to.deep.equal([claimed('a', 's', at('01T12:00:02'), noon)]);
    const own = claimKey({ ...wanted, deadBefore: noon })(folded([claimed('a', 's')]));
    expect(isRejection(own) && own.rejected).to.equal('idempotency-in-progress');
  });
  it('begins again with the same seed after a failure, with a new one for another request', () => {
    const given = [claimed('a', 's'), released];
    expect(when(noon, ...given).claims('a')).to.deep.equal([claimed('a', 's')]);
    expect(when(noon, ...given).claims('b')).to.deep.equal([claimed('b', 'new')]);
  });
  it('does not stay fresh for long when the clock is set back', () => {
    const before = [claimed('a', 's', at('01T15:00:00'))] as const;
    expect(when(noon, ...before).claims('a')).to.deep.equal([
      claimed('a', 's', noon, at('01T15:00:00')),
    ]);
    const answers = [claimed('a', 's', at('01T12:00:20'))] as const;
    expect(refusal(when(noon, ...answers).claims('a'))).to.equal('idempotency-in-progress');
    expect(when(noon, ...before, answered).claims('a')).to.deep.equal([]);
  });
  it("recognises a request by the salt of its claim's day, even a day later", () => {
    const prints = new Map<string | null, string | null>([
      ['2026-03-01', 'a of the 1st'],
      ['2026-03-02', 'a of the 2nd'],
      ['2026-02-27', null],
      [null, 'a'],
    ]);
    const wanted = { prints, day: '2026-03-02', seed: 'new', at: at('02T08:00:00') };
    const ask = (...given: readonly IdempotencyEvent[]) =>
      claimKey({ ...wanted, deadBefore: null })(folded(given));
    expect(ask(claimed('a', 's'), answered)).to.deep.equal([]);
    expect(refusal(ask(claimed('b', 's'), answered))).to.equal('invalid');
    const { day: _, ...unsalted } = (claimed('a', 's') as Claimed).data;
    const before = { type: 'IdempotencyClaimed', data: { ...unsalted, fingerprint: 'a' } } as const;
    expect(ask(before, answered)).to.deep.equal([]);
    const elsewhere = { ...unsalted, day: '2026-02-28' };
    const unread = { type: 'IdempotencyClaimed', data: elsewhere } as const;
    expect(refusal(ask(unread, answered))).to.equal('idempotency-in-progress');
    const erased = { ...unsalted, day: '2026-02-27' };
    expect(ask({ type: 'IdempotencyClaimed', data: erased }, answered)).to.deep.equal([]);
  });
  it('draws one salt a day', () => {
    const drawn = { type: 'IdempotencySaltDrawn', data: { salt: 'one' } } as const;
    expect(recordSalt('one')(null)).to.deep.equal([drawn]);
    expect(recordSalt('two')('one')).to.deep.equal([]);
  });
  it('is free again after 24 h', () => {
    const given = [claimed('a', 's'), answered];
    expect(when(at('02T11:59:59'), ...given).claims('a')).to.deep.equal([]);
    expect(when(at('02T12:00:00'), ...given).claims('b')).to.deep.equal([
      claimed('b', 'new', at('02T12:00:00')),
    ]);
  });
  it('records an answer once, and never for a claim that was taken over', () => {
    const stored = { status: 200, body: { id: 'x' }, position: null, keptIn: null };
    expect(recordResponse('s', stored)(folded([claimed('a', 's')]))).to.deep.equal([answered]);
    expect(recordResponse('s', stored)(folded([claimed('a', 's'), answered]))).to.deep.equal([]);
    expect(recordResponse('s', stored)(folded([claimed('a', 'other')]))).to.deep.equal([]);
  });
  it('releases only its own claim', () => {
    expect(releaseKey('s')(folded([claimed('a', 's')]))).to.deep.equal([released]);
    expect(releaseKey('s')(folded([claimed('a', 's'), answered]))).to.deep.equal([]);
    expect(releaseKey('s')(folded([claimed('a', 'other')]))).to.deep.equal([]);
  });
});

describe('idempotency over the log', () => {
  let log: EventLog;
  let close: () => Promise<void>;
  before(async () => {
    const { dir, remove } = await temporaryFolder();
    const bus = openBus(dir);
    log = await openEventLog({ dir, bus, decode });
    close = async () => {
      await log.close();
      await bus.close();
      await remove();
    };
  });
  after(() => close());

  const cause = {
    actor: { type: 'user', id: 'u', role: 'user' },
    requestId: 'r',
    correlationId: 'r',
    causationId: null,
    organizationId: null,
    at: noon,
  } as const;
  const done = (body: unknown) => {
    const answer = { status: 200, body, position: null };
    return { answer, stored: answer, project: null, run: null };
  };

  it('runs the work of concurrent duplicates once', async () => {
    const idempotency = openIdempotency({ log, ids: randomIds });
    let effects = 0;
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, () =>
        idempotency.runOnce({ scope: 'parallel', fingerprint: 'f' }, cause, async () => {
          effects += 1;
          return done({ effects });
        }),
      ),
    );
    const refused = outcomes.filter(
      (one) =>
        one.status === 'rejected' && (one.reason as Fault).code === 'idempotency-in-progress',
    );
    const answers = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(effects).to.equal(1);
    expect(refused.length + answers.length).to.equal(5);
    for (const { answer } of answers) expect(answer.body).to.deep.equal({ effects: 1 });
  });
  it('stores the response without content and replays it', async () => {
    const idempotency = openIdempotency({ log, ids: randomIds });
    const once = () =>
      idempotency.runOnce({ scope: 'replay', fingerprint: 'f' }, cause, async () => ({
        ...done({ key: 'secret' }),
        stored: done({ key: '' }).answer,
      }));
    expect(await once()).to.deep.include({
      replayed: false,
      answer: done({ key: 'secret' }).answer,
    });
    expect(await once()).to.deep.include({ replayed: true, answer: done({ key: '' }).answer });
  });
  it('runs again with the same seed after work that threw', async () => {
    const idempotency = openIdempotency({ log, ids: randomIds });
    const seeds: string[] = [];
    const once = (fails: boolean) =>
      idempotency.runOnce({ scope: 'throws', fingerprint: 'f' }, cause, async (seed) => {
        seeds.push(seed);
        if (fails) throw new Fault('unavailable', 'Not now');
        return done(null);
      });
    const first: unknown = await once(true).catch((error: unknown) => error);
    expect(first).to.include({ code: 'unavailable' });
    await once(false);
    expect(new Set(seeds).size).to.equal(1);
    expect((await once(true)).replayed).to.equal(true);
  });

  describe('stored response', () => {
    const [project, other] = [randomUUID(), randomUUID()];
    const text = `content ${randomUUID()}`;
    const send = (
      scope: string,
      hours = 0,
      of: string | null = project,
      run: string | null = null,
    ) =>
      openIdempotency({ log, ids: randomIds }).runOnce(
        { scope, fingerprint: 'f' },
        { ...cause, at: hoursAfterNoon(hours) },
        async () => ({ ...done({ name: text }), project: of, run }),
      );
    const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
      work.then(
        () => 'answered',
        (error: unknown) => (error as Fault).code,
      );
    const heard = async (): Promise<readonly string[]> =>
      (await log.page(logStart, 1_000)).events
        .filter((event) => JSON.stringify(event.data).includes(text))
        .map(({ type }) => type);
    const forget = async (hours: number): Promise<void> => {
      const clock = { now: () => hoursAfterNoon(hours) };
      const forgetting = openResponseExpiry({ log, clock, after: logStart });
      while (await forgetting.step());
    };

    it('keeps content in a stream named for the project, and ids with the claim', async () => {
      await send('of a project');
      expect(await heard()).to.deep.equal(['IdempotencyAnswerKept']);
      const names = await log.streams(`idempotency-answer-${project}-`, null, 10);
      expect(names).to.have.length(1);
      const before = (await log.streams('idempotency-answer-', null, 100)).length;
      await openIdempotency({ log, ids: randomIds }).runOnce(
        { scope: 'plain', fingerprint: 'f' },
        cause,
        async () => done({ id: project, at: noon, ids: [other], count: 5 }),
      );
      expect(await log.streams('idempotency-answer-', null, 100)).to.have.length(before);
    });
    it('is erased with the project: a repeat then answers not found', async () => {
      await send('to be deleted', 0, other);
      const [name] = await log.streams(`idempotency-answer-${other}-`, null, 10);
      await log.erase(name ?? expect.fail('nothing was kept'));
      expect(await codeOf(send('to be deleted', 0, other))).to.equal('not-found');
    });
    it('is erased with its run, while those of other runs stay', async () => {
      const [run, next] = [randomUUID(), randomUUID()];
      const place = randomUUID();
      await send('of a run', 0, place, run);
      await send('of the next run', 0, place, next);
      for (const { prefix } of streamPrefixesOf([{ kind: 'run', id: run, project: place }])) {
        for (const name of await log.streams(prefix, null, 10)) await log.erase(name);
      }
      expect(await codeOf(send('of a run', 0, place, run))).to.equal('not-found');
      expect((await send('of the next run', 0, place, next)).replayed).to.equal(true);
    });
    it("cannot be guessed from its hash once the day's salt is erased", async () => {
      const salts = () => log.streams('idempotency-salt-', null, 10);
      const days = await salts();
      expect(days).to.include(streamNameOf('idempotency-salt', '2026-03-01'));
      const { events } = await log.page(logStart, 1_000, ['IdempotencyClaimed']);
      for (const { data } of events as readonly StoredEvent<Claimed>[]) {
        expect(data.fingerprint).not.to.equal('f');
      }
      // Noon, and the salt counts to the end of the next day; an hour more, for clocks.
      await forget(36.9);
      expect(await salts()).to.deep.equal(days);
      await forget(37);
      expect(await salts()).to.deep.equal([]);
    });
    it('is recognised without a salt that a clock ahead of time had erased', async () => {
      const scope = 'erased too soon';
      expect((await send(scope)).replayed).to.equal(false);
      expect((await send(scope)).replayed).to.equal(true);
    });
    it('is replayed for 24 h and then erased; the key is free again', async () => {
      await send('late', 20, null);
      await forget(43.9);
      expect((await send('late', 43.9, null)).replayed).to.equal(true);
      expect(await heard()).to.deep.equal(['IdempotencyAnswerKept']);
      await forget(44);
      expect(await heard()).to.deep.equal([]);
      expect((await send('late', 44, null)).replayed).to.equal(false);
    });
    it('is replayed and erased in the earlier format, too', async () => {
      const name = streamNameOf('idempotency', randomIds.derive('IdempotencyId', 'old'));
      const data = { status: 200, body: { name: text }, position: null };
      const { day: _, ...before } = (claimed('', randomUUID()) as Claimed).data;
      const unsalted = { type: 'IdempotencyClaimed', data: { ...before, fingerprint: 'f' } };
      const events = [unsalted, { type: 'IdempotencyAnswered', data }];
      const author = { ...cause, eventId: () => randomUUID() };
      await appendEvents(log, [{ stream: name, events }], author);
      const again = await send('old', 1);
      expect([again.replayed, again.answer.body]).to.deep.equal([true, { name: text }]);
      await forget(100);
      expect(await heard()).to.deep.equal([]);
      expect((await send('old', 100)).replayed).to.equal(false);
    });
  });
});

const hoursAfterNoon = (hours: number): Instant =>
  new Date(Date.parse(noon) + hours * 3_600_000).toISOString().replace('Z', '000Z') as Instant;
