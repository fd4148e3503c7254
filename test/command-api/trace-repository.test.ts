import { expect } from 'chai';
import { pollUntilFound, openTraceRepository } from '../../command-api/traces/trace-repository.js';
import {
  persistentGet,
  emptyPersistentMap,
  persistentSet,
  type PersistentMap,
} from '../../command-api/traces/persistent-map.js';
import { addSpans } from '../../command-api/traces/span-additions.js';
import { traceEvents } from '../../command-api/traces/event-packing.js';
import { traceStream } from '../../command-api/facts/traces.js';
import { decode } from '../../events/codec.js';
import { openBus } from '../../engines/memory/bus.js';
import { systemClock } from '../../engines/node/clock.js';
import { openEventLog } from '../../engines/sqlite/event-log.js';
import type { EventLog } from '../../kernel/ports.js';
import { temporaryFolder } from '../support/folder.js';
import {
  lateSpansOf,
  traceLoggedOf,
  projectId,
  traceId,
  uuid,
  authorAtNoon,
} from '../support/trace-batches.js';

const authorship = authorAtNoon();
const stream = traceStream(projectId, traceId);

describe('the repository of traces', () => {
  let log: EventLog;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let eventsRead = 0;
  before(async () => {
    folder = await temporaryFolder();
    const engine = await openEventLog({ dir: folder.dir, bus: openBus(folder.dir), decode });
    log = {
      ...engine,
      portions: async function* (name, reading) {
        for await (const portion of engine.portions(name, reading)) {
          eventsRead += portion.length;
          yield portion;
        }
      },
    };
  });
  after(async () => {
    await log.close();
    await folder.remove();
  });

  it('reads only the new events of a growing trace', async () => {
    const repository = openTraceRepository({ log, clock: systemClock });
    await repository.transact(
      stream,
      () => traceEvents(traceLoggedOf({ id: traceId })),
      authorship,
    );
    const count = 100;
    eventsRead = 0;
    for (let added = 0; added < count; added += 1) {
      await repository.transact(stream, addSpans(lateSpansOf([{ type: 'tool' }])), authorship);
    }
    expect(eventsRead).to.be.at.most(count * 3);
  });

  it('reads and keeps little of a trace of 40 MB that grows', async () => {
    const input = 'x'.repeat(400_000);
    const own = traceStream(projectId, uuid(70));
    const repository = openTraceRepository({ log, clock: systemClock });
    await repository.transact(own, () => traceEvents(traceLoggedOf({ id: uuid(70) })), authorship);
    const large = 100;
    for (let added = 0; added < large; added += 1) {
      await repository.transact(own, addSpans(lateSpansOf([{ type: 'tool', input }])), authorship);
    }
    eventsRead = 0;
    for (let added = 0; added < 10; added += 1) {
      await repository.transact(own, addSpans(lateSpansOf([{ type: 'tool', input }])), authorship);
    }
    expect(eventsRead).to.equal(0);
    const { state } = await repository.load(own);
    expect(state?.bytes).to.be.above((large + 10) * input.length);
    expect(state?.weight).to.be.below((large + 10) * 1_000);
  });

  it('returns the same state on repeated loads', async () => {
    const input = 'x'.repeat(200_000);
    const large = traceLoggedOf({
      spans: Array.from({ length: 10 }, () => ({ type: 'tool', input })),
    });
    const own = traceStream(projectId, large.trace_id);
    const repository = openTraceRepository({ log, clock: systemClock });
    await repository.transact(own, () => traceEvents(large), authorship);
    const [first, second] = [await repository.load(own), await repository.load(own)];
    expect(first.revision).to.be.above(0);
    expect(second).to.deep.equal(first);
  });

  it('sees events of other processes', async () => {
    const [mine, theirs] = [0, 1].map(() => openTraceRepository({ log, clock: systemClock }));
    const before = (await mine?.load(stream))?.revision;
    await theirs?.transact(stream, addSpans(lateSpansOf([{ type: 'tool' }])), authorship);
    await mine?.transact(stream, addSpans(lateSpansOf([{ type: 'tool' }])), authorship);
    expect((await mine?.load(stream))?.revision).to.equal(Number(before) + 2);
  });

  it('drops an erased trace', async () => {
    const repository = openTraceRepository({ log, clock: systemClock });
    expect((await repository.load(stream)).state).to.not.equal(null);
    await log.erase(stream);
    expect(await repository.load(stream)).to.include({ state: null, revision: 'none' });
  });

  it('polls eight times for a missing trace, and finds a late one', async () => {
    let now = 0;
    let looks = 0;
    const clock = {
      milliseconds: () => now,
      wait: async (milliseconds: number) => {
        now += milliseconds;
      },
    };
    const never = await pollUntilFound(clock, async () => {
      looks += 1;
      return null;
    });
    expect({ never, looks, now }).to.deep.equal({ never: null, looks: 8, now: 2_000 });
    now = 0;
    expect(await pollUntilFound(clock, async () => (now >= 300 ? 'it' : null))).to.equal('it');
    expect(now).to.equal(375);
  });
});

describe('persistent map', () => {
  it('behaves like a map, and leaves older versions unchanged', () => {
    const steps: PersistentMap<number>[] = [emptyPersistentMap()];
    for (let step = 0; step < 500; step += 1) {
      steps.push(persistentSet(steps[step] ?? emptyPersistentMap(), [[String(step % 300), step]]));
    }
    for (const seen of [0, 10, 33, 299, 301, 500]) {
      const expected = new Map(
        Array.from({ length: seen }, (_, step) => [String(step % 300), step]),
      );
      for (let key = 0; key < 300; key += 1) {
        const found = persistentGet(steps[seen] ?? emptyPersistentMap(), String(key));
        expect(found).to.equal(expected.get(String(key)));
      }
    }
  });
});
