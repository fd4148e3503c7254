import { expect } from 'chai';
import { reject, type Decide, type Decision, type Fold } from '../../kernel/decision.js';
import { Fault } from '../../kernel/fault.js';
import {
  streamNameOf,
  type EventLog,
  type StreamAppend,
  type StreamName,
} from '../../kernel/ports.js';
import {
  appendEvents,
  asConflict,
  loadStreamState,
  retryOnConflict,
  conflictRetriesMax,
  transact,
  transactAll,
  type StreamState,
} from '../../kernel/transact.js';
import { seededRandom } from '../../kernel/seeded-random.js';
import { authorAt, testLog, type TestLog } from '../support/test-log.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';

/** Types that the log's codec knows: a name is a counter of its claims here. */
type Claimed = { readonly type: 'NameClaimed'; readonly data: { readonly holder: string } };
const holders: Fold<readonly string[], Claimed> = {
  initial: [],
  evolve: (known, { data }) => [...known, data.holder],
};
const claimed = (holder: string): Claimed => ({ type: 'NameClaimed', data: { holder } });
const names = (count: number): readonly StreamName[] =>
  Array.from({ length: count }, (_, at) => streamNameOf('reservation', 'test', String(at)));
const [one, two, three] = names(3) as [StreamName, StreamName, StreamName];
const add =
  (holder: string): Decide<readonly string[], Claimed> =>
  (known) =>
    known.includes(holder) ? [] : [claimed(holder)];

/** Targets of `transactAll`, each with its name as the argument. */
const asking = (...some: readonly StreamName[]) => new Map(some.map((name) => [name, name]));

/** Another process: it does not share the mutex of this one. */
const beside = (log: EventLog, over: Partial<EventLog> = {}): EventLog => ({ ...log, ...over });

/** Log that records its appends; `before` runs first, as another process might. */
const watched = (log: EventLog, before: (batch: readonly StreamAppend[]) => Promise<void>) => {
  const batches: (readonly StreamName[])[] = [];
  return {
    batches,
    log: beside(log, {
      append: async (batch) => {
        batches.push(batch.map((part) => part.stream));
        await before(batch);
        return log.append(batch);
      },
    }),
  };
};
const quiet = async (): Promise<void> => undefined;

const refusal = async (work: Promise<unknown>): Promise<Fault> => {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Fault)) throw new Error(`not refused: ${String(error)}`);
  return error;
};
const tooMany = 'Too many concurrent changes to this resource. Try again.';

describe('a transaction', () => {
  let world: TestLog;
  beforeEach(async () => {
    world = await testLog();
  });
  afterEach(() => world.close());

  const held = async (name: StreamName): Promise<readonly string[]> =>
    (await loadStreamState(world.log, name, holders)).state;
  const others = (name: StreamName, holder: string): Promise<unknown> =>
    transact(beside(world.log), name, holders, add(holder), authorAt());
  const each = (log: EventLog) => ({
    load: (name: StreamName) => loadStreamState(log, name, holders),
    decide: add('mine'),
  });

  describe('on one stream', () => {
    it('returns the state with its events, and their position', async () => {
      await others(one, 'theirs');
      const done = await transact(world.log, one, holders, add('mine'), authorAt());
      expect(done.state).to.deep.equal(['theirs', 'mine']);
      expect(done.events).to.deep.equal([claimed('mine')]);
      expect(done.position).to.equal(await world.log.head());
      expect(await held(one)).to.deep.equal(done.state);
    });

    it('appends nothing for an empty decision', async () => {
      const { batches, log } = watched(world.log, quiet);
      const first = await transact(log, one, holders, add('mine'), authorAt());
      const again = await transact(log, one, holders, add('mine'), authorAt());
      expect(again).to.deep.equal({ ...first, events: [] });
      expect(batches).to.deep.equal([[one]]);
    });

    it('stores references for history in the metadata, unless its name has them', async () => {
      const project = '00000001-0000-4000-8000-000000000001';
      const data = { project_id: project, name: 'a', template_id: null };
      const renamed = { type: 'SomethingRenamed', data };
      const about = async (name: StreamName) => {
        let appended: unknown;
        const log = beside(world.log, {
          append: async ([part]) => {
            appended = part?.events[0]?.metadata.about;
            return ['conflict'];
          },
        });
        await appendEvents(log, [{ stream: name, events: [renamed] }], authorAt());
        return appended;
      };
      expect(await about(streamNameOf('run', 'x'))).to.deep.equal({ project_id: project });
      expect(await about(streamNameOf('trace', project, 'x'))).to.equal(undefined);
    });

    it('throws the rejection as a fault', async () => {
      const complaints = [{ loc: ['body'], msg: 'no', type: 'value_error' }];
      const no = (): Decision<Claimed> => reject('invalid', 'not this', { complaints });
      const fault = await refusal(transact(world.log, one, holders, no, authorAt()));
      expect(fault).to.include({ code: 'invalid', message: 'not this' });
      expect(fault.complaints).to.deep.equal(complaints);
    });

    it('retries on the new state after a lost race', async () => {
      let races = conflictRetriesMax;
      const { batches, log } = watched(world.log, async () => {
        if ((races -= 1) >= 0) await others(one, `other ${races}`);
      });
      const { state } = await transact(log, one, holders, add('mine'), authorAt());
      expect(state).to.deep.equal(['other 2', 'other 1', 'other 0', 'mine']);
      expect(batches).to.have.length(conflictRetriesMax + 1);
    });

    it('throws conflict when it loses every race', async () => {
      let races = 0;
      const { batches, log } = watched(world.log, () => others(one, `${(races += 1)}`).then(quiet));
      const fault = await refusal(transact(log, one, holders, add('mine'), authorAt()));
      expect(fault).to.include({ code: 'conflict', message: tooMany });
      expect(batches).to.have.length(conflictRetriesMax + 1);
    });

    it('starts from a cached state, and stores the state after its append', async () => {
      await others(one, 'theirs');
      let kept: StreamState<readonly string[]> = await loadStreamState(world.log, one, holders);
      const noted: StreamName[] = [];
      const fold = {
        ...holders,
        load: async () => kept,
        store: (name: StreamName, loaded: typeof kept) => {
          kept = loaded;
          noted.push(name);
        },
      };
      const blind = beside(world.log, {
        portions: () => {
          throw new Error('was read');
        },
      });
      for (const holder of ['mine', 'mine', 'more']) {
        await transact(blind, one, fold, add(holder), authorAt());
      }
      expect(kept).to.deep.equal(await loadStreamState(world.log, one, holders));
      expect(noted).to.deep.equal([one, one]);
    });
  });

  describe('on many streams', () => {
    it('makes one append for the streams that have events, in the given order', async () => {
      await others(two, 'mine');
      const before = await world.log.head();
      const { batches, log } = watched(world.log, quiet);
      const done = await transactAll(log, asking(three, two, one), each(log), authorAt());
      expect(batches).to.deep.equal([[three, one]]);
      expect([...done.keys()]).to.deep.equal([three, two, one]);
      expect(done.get(two)).to.deep.include({ events: [], position: before });
      expect(done.get(one)?.position).to.equal(await world.log.head());
      expect(await Promise.all([one, two, three].map(held))).to.deep.equal(
        Array.from({ length: 3 }, () => ['mine']),
      );
    });

    it('appends nothing when no stream has events', async () => {
      const { batches, log } = watched(world.log, quiet);
      const asked = { ...each(log), decide: () => [] };
      await transactAll(log, asking(one, two), asked, authorAt());
      await transactAll(log, asking(), each(log), authorAt());
      expect(batches).to.deep.equal([]);
    });

    it('retries only the streams that lost a race', async () => {
      let isFirst = true;
      const { batches, log } = watched(world.log, async () => {
        if (isFirst) await others(two, 'theirs');
        isFirst = false;
      });
      const done = await transactAll(log, asking(one, two, three), each(log), authorAt());
      expect(batches).to.deep.equal([[one, two, three], [two]]);
      expect(done.get(two)?.before.state).to.deep.equal(['theirs']);
      expect(await held(two)).to.deep.equal(['theirs', 'mine']);
      expect(await held(one)).to.deep.equal(['mine']);
    });

    it('is a conflict only for the streams that lose every race', async () => {
      let races = 0;
      const { batches, log } = watched(world.log, () => others(two, `${(races += 1)}`).then(quiet));
      const done = await transactAll(log, asking(one, two), each(log), authorAt());
      expect(batches).to.have.length(conflictRetriesMax + 1);
      expect(done.get(two)).to.deep.include({ events: [claimed('mine')], position: 'conflict' });
      expect(done.get(two)?.before.state).to.deep.equal(['1', '2', '3']);
      expect(done.get(one)?.position).to.not.equal('conflict');
      expect(await held(two)).to.not.include('mine');
    });

    it('appends nothing when one of them is refused', async () => {
      const { batches, log } = watched(world.log, quiet);
      const decide = (_: readonly string[], name: StreamName) =>
        name === two ? reject('not-found', 'no such thing') : [claimed('mine')];
      const asked = { ...each(log), decide };
      const fault = await refusal(transactAll(log, asking(one, two), asked, authorAt()));
      expect(fault).to.include({ code: 'not-found', message: 'no such thing' });
      expect(batches).to.deep.equal([]);
    });

    it('runs after earlier calls that share a stream, and loses no race to them', async () => {
      const { batches, log } = watched(world.log, quiet);
      const calls = Array.from({ length: 12 }, (_, at) => {
        const decide = add(String(at));
        return at % 3 === 0
          ? transact(log, one, holders, decide, authorAt())
          : transactAll(log, asking(two, one), { ...each(log), decide }, authorAt());
      });
      await Promise.all(calls);
      expect(batches).to.have.length(calls.length);
      expect(await held(one)).to.deep.equal(calls.map((_, at) => String(at)));
    });

    it('reads many streams at once, but not all', async () => {
      const [most, all] = [64, names(200)];
      let [reading, peak] = [0, 0];
      const asked = {
        ...each(world.log),
        load: async (name: StreamName) => {
          peak = Math.max(peak, (reading += 1));
          const loaded = await loadStreamState(world.log, name, holders);
          reading -= 1;
          return loaded;
        },
      };
      await transactAll(world.log, asking(...all), asked, authorAt());
      expect(peak).to.equal(most);
      expect(await held(all[199] ?? one)).to.deep.equal(['mine']);
    });

    // A stream's content equals that of its decisions one after the other, alone and in the order
    // of their appends; a call that got `conflict` left nothing.
    it('has the same effect on each as single decisions one after the other', async () => {
      const random = seededRandom(drawSeed('transactions that race'));
      const all = names(4);
      for (let round = 0; round < runs(4); round += 1) {
        const lasting = beside(world.log);
        const processes = [beside(world.log), beside(world.log), lasting];
        const decide =
          (holder: string, most: number): Decide<readonly string[], Claimed> =>
          (known) =>
            known.length % most === most - 1
              ? []
              : Array.from({ length: 1 + (known.length % 3) }, () => claimed(holder));
        const before = new Map(
          await Promise.all(all.map(async (name) => [name, await held(name)] as const)),
        );
        const calls = Array.from({ length: 24 }, (_, at) => {
          const asked = all.filter(() => random.chance(0.6));
          const decision = decide(`${round} ${at}`, random.integer(2, 5));
          const log = random.pick([processes[0] ?? lasting, ...processes]);
          const done = transactAll(
            log,
            asking(...asked),
            { ...each(log), decide: decision },
            authorAt(),
          );
          return { holder: `${round} ${at}`, decision, done };
        });
        const done = await Promise.all(
          calls.map(async (call) => ({ ...call, done: await call.done })),
        );
        for (const name of all) {
          const now = await held(name);
          let naive = before.get(name) ?? [];
          while (naive.length < now.length) {
            const next = done.find(({ holder }) => holder === now[naive.length]);
            const events = next?.decision(naive) ?? [];
            expect(events, `${name} at ${naive.length}`).to.not.be.empty;
            naive = (events as readonly Claimed[]).reduce(holders.evolve, naive);
          }
          expect(naive).to.deep.equal(now);
          for (const { holder, decision, done: outcomes } of done) {
            const settled = outcomes.get(name);
            const isThere = settled !== undefined && settled.position !== 'conflict';
            expect(now.includes(holder)).to.equal(isThere && settled.events.length > 0);
            if (isThere) expect(decision(settled.before.state)).to.deep.equal(settled.events);
          }
        }
        await others(one, `after ${round}`);
      }
    });
  });

  describe('at known revisions', () => {
    it('creates many streams in one append, and returns which already existed', async () => {
      await others(two, 'theirs');
      const { batches, log } = watched(world.log, quiet);
      const additions = [one, two, three].map((name) => ({
        stream: name,
        events: [claimed('a'), claimed('b')],
      }));
      const [first, second, third] = await appendEvents(log, additions, authorAt());
      expect(batches).to.deep.equal([[one, two, three]]);
      expect(second).to.equal('conflict');
      expect([first, third]).to.not.include('conflict');
      expect(await held(three)).to.deep.equal(['a', 'b']);
      expect(await held(two)).to.deep.equal(['theirs']);
    });

    it('appends after the revision that it is given, and does nothing without events', async () => {
      const { batches, log } = watched(world.log, quiet);
      const by = { ...authorAt(), eventId: (name: StreamName, at: number) => `${name} ${at}` };
      const first = { stream: one, events: [claimed('a'), claimed('b')] };
      const more = { stream: one, expected: 1, events: [claimed('c')] };
      await appendEvents(log, [first], by);
      await appendEvents(log, [more], by);
      expect(await appendEvents(log, [], by)).to.deep.equal([]);
      expect(batches).to.deep.equal([[one], [one]]);
      const ids = (await world.log.read(one)).map(({ id }) => id);
      expect(ids).to.deep.equal([0, 1, 2].map((at) => `${one} ${at}`));
      expect(await appendEvents(log, [more], authorAt())).to.deep.equal(['conflict']);
    });

    it('does not wait for the mutex', async () => {
      let end = (): void => undefined;
      const waiting = transact(
        world.log,
        one,
        {
          ...holders,
          load: () => new Promise<never>((_, no) => (end = () => no(new Error('over')))),
        },
        add('mine'),
        authorAt(),
      ).catch(String);
      await appendEvents(world.log, [{ stream: one, events: [claimed('first')] }], authorAt());
      expect(await held(one)).to.deep.equal(['first']);
      end();
      expect(await waiting).to.equal('Error: over');
    });
  });

  describe('with work before each attempt', () => {
    it('retries while it is a conflict, and returns the result', async () => {
      const tries: number[] = [];
      const done = await retryOnConflict(async (number) => {
        tries.push(number);
        return number < conflictRetriesMax ? 'conflict' : { made: number };
      });
      expect(done).to.deep.equal({ made: conflictRetriesMax });
      expect(tries).to.deep.equal([0, 1, 2, 3]);
    });

    it('throws conflict after the last attempt, and any other fault at once', async () => {
      let tries = 0;
      const lost = async (): Promise<'conflict'> => {
        tries += 1;
        return 'conflict';
      };
      expect(await refusal(retryOnConflict(lost))).to.include({
        code: 'conflict',
        message: tooMany,
      });
      expect(tries).to.equal(conflictRetriesMax + 1);
      const gone = new Fault('not-found', 'gone');
      const caught = retryOnConflict(() => Promise.reject(gone).catch(asConflict));
      expect(await refusal(caught)).to.equal(gone);
      expect(asConflict(new Fault('conflict', 'taken'))).to.equal('conflict');
    });
  });
});
