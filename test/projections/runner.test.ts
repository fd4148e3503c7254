import { expect } from 'chai';
import { Type } from 'typebox';
import * as fc from 'fast-check';
import { openRecords } from '../../engines/duckdb/records.js';
import { systemClock } from '../../engines/node/clock.js';
import { Fault } from '../../kernel/fault.js';
import type { EventReader, StoredEvent } from '../../kernel/ports.js';
import type { Document } from '../../kernel/documents.js';
import type { Records } from '../../kernel/records/records.js';
import type { AnyProjection } from '../../projections/documents-model.js';
import { temporaryFolder } from '../support/folder.js';
import {
  append,
  newEvent,
  projectorIn,
  type OpenProjector,
  type ProjectorOptions,
} from '../support/projector.js';
import { traceLoggedEvent } from '../support/trace-logged-event.js';
import { runs } from '../support/runs.js';
import { traceLogs, projectId, traceId, traceStream } from '../support/random-trace-logs.js';
import { wordStream, wordSaid } from '../support/word-projection.js';
import { pollUntil } from '../support/poll-until.js';

type Tally = { readonly count: number; readonly words: readonly string[] };
type Said = StoredEvent<{ readonly type: 'Said'; readonly data: { readonly word: string } }>;

/** Counts the words said in a stream; cannot stand those in `hated`. */
const tally = (hated: ReadonlySet<string> = new Set()): AnyProjection => ({
  collection: { name: 'tally', version: 1, fields: {} },
  events: { Said: Type.Object({ word: Type.String() }) },
  keys: (event: Said) => [event.stream],
  evolve: (document: Document<Tally> | null, event: Said, key: string) => {
    const { word } = event.data;
    if (hated.has(word)) throw new Error(`cannot stand ${word}`);
    const { count, words } = document?.body ?? { count: 0, words: [] };
    return { key, scope: 's', fields: {}, body: { count: count + 1, words: [...words, word] } };
  },
});
const decode = (type: string, _schema: number, data: unknown): unknown => {
  if (type === 'Unknown') throw new TypeError('unknown event type Unknown');
  return data;
};

describe('the projector', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let open: OpenProjector;
  const start = async (options: Omit<ProjectorOptions, 'dir'> = {}) => {
    open = await projectorIn({ dir: folder.dir, projections: [tally()], decode, ...options });
  };
  const tallyOf = async (name: string): Promise<Tally | null> =>
    (await open.documents.get<Tally>(tally().collection, wordStream(name)))?.body ?? null;
  const rowsOf = async (number: number): Promise<number> =>
    (await open.records.rowsByGroup([traceStream(number)])).get(traceStream(number))?.length ?? 0;
  const same = async (): Promise<void> => {
    for (const { name, difference } of await open.projector.verify(null)) {
      expect(difference, name).to.equal(null);
    }
  };
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(async () => {
    await open.close();
    await folder.remove();
  });

  it('shows a read what was written before it', async () => {
    await start();
    for (let number = 0; number < 100; number += 1) {
      await append(open.log, wordStream('a'), number, wordSaid(`${number}`));
      await open.freshness.waitUntilApplied(['tally'], null);
      expect((await tallyOf('a'))?.count).to.equal(number + 1);
    }
    await append(open.log, traceStream(1), 0, traceLoggedEvent(1));
    await open.freshness.waitUntilApplied(['records'], null);
    expect(await rowsOf(1)).to.equal(1);
  });

  it('continues from its checkpoint after a restart, and equals a replay', async () => {
    await start();
    await append(open.log, wordStream('a'), 0, wordSaid('x'));
    await append(open.log, traceStream(1), 0, traceLoggedEvent(1));
    await open.untilCaughtUp();
    await open.close();
    await start();
    await append(open.log, wordStream('a'), 1, wordSaid('y'));
    await append(
      open.log,
      traceStream(1),
      1,
      newEvent('TraceUpdated', {
        project_id: projectId,
        trace_id: traceId(1),
        changes: { output: 'done' },
      }),
    );
    await open.untilCaughtUp();
    expect(await tallyOf('a')).to.deep.equal({ count: 2, words: ['x', 'y'] });
    await same();
  });

  it('parks the stream of an event that cannot be folded, until it can', async () => {
    const hated = new Set(['bad']);
    await start({ projections: [tally(hated)] });
    await append(open.log, wordStream('a'), 0, wordSaid('fine'));
    await append(open.log, wordStream('a'), 1, wordSaid('bad'));
    await append(open.log, wordStream('b'), 0, wordSaid('other'));
    await append(open.log, wordStream('a'), 2, wordSaid('later'));
    await open.untilCaughtUp();
    expect(await tallyOf('a')).to.deep.equal({ count: 1, words: ['fine'] });
    expect(await tallyOf('b')).to.deep.equal({ count: 1, words: ['other'] });
    const [parked] = await open.projector.parked();
    expect(parked).to.include({
      projection: 'tally',
      stream: wordStream('a'),
      revision: 1,
      attempts: 1,
    });
    expect(parked?.reason).to.equal('cannot stand bad');

    expect(await open.projector.retry('tally', wordStream('a'))).to.equal(false);
    expect((await open.projector.parked())[0]?.attempts).to.equal(2);
    hated.clear();
    expect(await open.projector.retry('tally', wordStream('a'))).to.equal(true);
    expect(await tallyOf('a')).to.deep.equal({ count: 3, words: ['fine', 'bad', 'later'] });
    expect(await open.projector.parked()).to.deep.equal([]);
    await same();
  });

  it('remembers parked streams and skipped events over a restart', async () => {
    await start({ projections: [tally(new Set(['bad']))] });
    await append(open.log, wordStream('a'), 0, wordSaid('bad'));
    await append(open.log, wordStream('a'), 1, wordSaid('good'));
    await open.untilCaughtUp();
    await open.close();
    await start({ projections: [tally(new Set(['bad']))] });
    expect(await open.projector.parked()).to.have.length(1);
    await append(open.log, wordStream('a'), 2, wordSaid('late'));
    await open.untilCaughtUp();
    expect(await tallyOf('a')).to.equal(null);
    expect(await open.projector.skip('tally', wordStream('a'), 0)).to.equal(true);
    expect(await tallyOf('a')).to.deep.equal({ count: 2, words: ['good', 'late'] });
    await open.projector.rebuild('tally');
    expect(await tallyOf('a')).to.deep.equal({ count: 2, words: ['good', 'late'] });
    await same();
  });

  it('parks only the trace with an event of unknown type', async () => {
    await start();
    await append(open.log, traceStream(1), 0, traceLoggedEvent(1));
    await append(open.log, traceStream(1), 1, newEvent('Unknown', {}));
    await append(open.log, traceStream(2), 0, traceLoggedEvent(2));
    await append(open.log, wordStream('a'), 0, newEvent('Unknown', {}));
    await open.untilCaughtUp();
    expect(await rowsOf(2)).to.equal(1);
    const parked = await open.projector.parked();
    expect(parked.map(({ projection, stream }) => [projection, stream])).to.deep.equal([
      ['records', traceStream(1)],
    ]);
    expect(await open.projector.skip('records', traceStream(1), 1)).to.equal(true);
    await append(
      open.log,
      traceStream(1),
      2,
      newEvent('TraceDeleted', {
        project_id: projectId,
        trace_id: traceId(1),
      }),
    );
    await open.untilCaughtUp();
    expect(await rowsOf(1)).to.equal(0);
  });

  it('parks only the stream that a store refuses', async () => {
    await start();
    await append(open.log, traceStream(1), 0, traceLoggedEvent(1));
    await append(open.log, traceStream(2), 0, traceLoggedEvent(2, { created_at: 'no instant' }));
    await append(open.log, traceStream(3), 0, traceLoggedEvent(3));
    await pollUntil(
      'the trace after the refused one is there',
      5_000,
      async () => (await rowsOf(3)) === 1,
    );
    expect((await open.projector.parked()).map((one) => one.stream)).to.deep.equal([
      traceStream(2),
    ]);
    expect((await open.projector.status()).map(({ stalled }) => stalled)).to.deep.equal([
      null,
      null,
    ]);
  });

  it('parks only the stream that the store cannot be read for', async () => {
    let isOut = false;
    const unreadable = (found: Records): Records => ({
      ...found,
      firstRows: async (names) => {
        if (!isOut || !names.includes(traceStream(2))) return found.firstRows(names);
        throw new Fault('unavailable', 'no', { cause: new Error("Out of Memory: 'canary'") });
      },
    });
    await start({ records: unreadable });
    for (const number of [1, 2])
      await append(open.log, traceStream(number), 0, traceLoggedEvent(number));
    await open.untilCaughtUp();
    isOut = true;
    const changes = { output: 'done' };
    const updated = { project_id: projectId, trace_id: traceId(2), changes };
    await append(open.log, traceStream(2), 1, newEvent('TraceUpdated', updated));
    await append(open.log, traceStream(3), 0, traceLoggedEvent(3));
    await pollUntil('all of it is parked or there', 10_000, async () => {
      const parked = await open.projector.parked();
      return (await rowsOf(3)) === 1 && parked.length === 1;
    });
    const [parked] = await open.projector.parked();
    expect(parked?.stream).to.equal(traceStream(2));
    expect(parked?.reason).to.equal('no: Out of Memory: …');
    expect((await open.projector.status())[0]?.stalled).to.equal(null);
  });

  it('refills a store that lost its data', async () => {
    const other = await temporaryFolder();
    const empty = await openRecords({ dir: other.dir });
    let isLost = false;
    const losing = (found: Records): Records => {
      const now = () => (isLost ? empty : found);
      return {
        ...found,
        checkpoint: () => now().checkpoint(),
        apply: (writes, mark) => now().apply(writes, mark),
        firstRows: (names) => now().firstRows(names),
        rowsByGroup: (names) => now().rowsByGroup(names),
      };
    };
    await start({ records: losing });
    for (const number of [1, 2])
      await append(open.log, traceStream(number), 0, traceLoggedEvent(number));
    await open.untilCaughtUp();
    isLost = true;
    await append(open.log, traceStream(3), 0, traceLoggedEvent(3));
    await pollUntil('all are there again', 10_000, async () => {
      const counts = await Promise.all([1, 2, 3].map(rowsOf));
      return counts.every((count) => count === 1);
    });
    await open.projector.stop();
    await empty.close();
    await other.remove();
  });

  it('halts at a gap in a stream and never skips it', async () => {
    const hidden = { revision: 1 };
    const withGap = (reader: EventReader): EventReader => ({
      ...reader,
      page: async (after, limit) => {
        const page = await reader.page(after, limit);
        return { ...page, events: page.events.filter((one) => one.revision !== hidden.revision) };
      },
    });
    await start({ reader: withGap });
    await append(open.log, wordStream('a'), 0, wordSaid('one'));
    await open.untilCaughtUp();
    const [before] = await open.projector.status();
    for (const name of ['tally', 'records']) await open.projector.pause(name);
    await append(open.log, wordStream('a'), 1, wordSaid('two'));
    await append(open.log, wordStream('a'), 2, wordSaid('three'));
    await append(open.log, traceStream(1), 0, traceLoggedEvent(1));
    await append(
      open.log,
      traceStream(1),
      1,
      newEvent('TraceDeleted', {
        project_id: projectId,
        trace_id: traceId(1),
      }),
    );
    for (const name of ['tally', 'records']) await open.projector.resume(name);
    await pollUntil('it says that it is stalled', 5_000, async () =>
      (await open.projector.status()).every(({ stalled }) => stalled?.startsWith('gap') === true),
    );
    expect(
      (await open.projector.status()).every(({ position }) => position < '0000000000000003'),
    ).to.equal(true);
    expect(before?.stalled).to.equal(null);
    hidden.revision = -1;
    await pollUntil(
      'it goes on once the event is there',
      6_000,
      async () => (await tallyOf('a'))?.count === 3,
    );
    expect((await tallyOf('a'))?.words).to.deep.equal(['one', 'two', 'three']);
  });

  it('measures lag from the time an event was logged, not from its request', async () => {
    await start();
    await open.untilCaughtUp();
    await open.projector.pause('tally');
    // By its request it is as old as `instantAt(0)`.
    const position = await append(open.log, wordStream('a'), 0, wordSaid('x'));
    const began = performance.now();
    const lagOf = async () =>
      (await open.projector.status()).find(({ name }) => name === 'tally')?.lag_seconds ?? -1;
    const lag = await lagOf();
    expect(lag).to.be.within(0, 60);
    await pollUntil('it gets older', 5_000, async () => (await lagOf()) > lag);
    expect(await lagOf()).to.be.at.most(60 + (performance.now() - began) / 1_000);
    await open.projector.resume('tally');
    await open.freshness.waitUntilApplied(['tally'], position);
    expect(await lagOf()).to.equal(0);
  });

  it('rebuilds beside the live read model and reports progress', async () => {
    await start();
    for (let number = 0; number < 20; number += 1) {
      await append(open.log, traceStream(number), 0, traceLoggedEvent(number));
    }
    const head = await open.untilCaughtUp();
    const seen: string[] = [];
    await open.projector.rebuild(null, ({ name, position }) => seen.push(`${name} ${position}`));
    expect(seen).to.include(`records ${head}`);
    expect(seen).to.include(`tally ${head}`);
    expect(await rowsOf(7)).to.equal(1);
    await append(open.log, traceStream(50), 0, traceLoggedEvent(50));
    await open.untilCaughtUp();
    expect(await rowsOf(50)).to.equal(1);
    await same();
  });

  it('finds a read model that differs from a replay', async () => {
    await start();
    await append(open.log, wordStream('a'), 0, wordSaid('x'));
    const position = await open.untilCaughtUp();
    await open.documents.apply(
      tally().collection,
      [
        {
          key: wordStream('a'),
          document: { key: wordStream('a'), scope: 's', fields: {}, body: { count: 9 } },
        },
      ],
      { position, fence: 99 },
    );
    const [verified] = await open.projector.verify('tally');
    expect(verified?.difference).to.deep.equal({
      key: wordStream('a'),
      stored: { scope: 's', fields: {}, body: { count: 9 } },
      replayed: { scope: 's', fields: {}, body: { count: 1, words: ['x'] } },
    });
  });

  it('refuses a position beyond the head at once, however long it may wait', async () => {
    const clock = { ...systemClock, wait: () => new Promise<never>(() => undefined) };
    await start({ clock });
    const position = await append(open.log, wordStream('a'), 0, wordSaid('x'));
    const refusal = await open.freshness
      .waitUntilApplied(['tally'], `${position}z` as typeof position)
      .catch((fault: unknown) => fault);
    expect((refusal as Fault).code).to.equal('read-model-behind');
  });

  it('answers 503 when a position is not reached in time, and stale rows without one', async () => {
    let milliseconds = 0;
    const clock = {
      ...systemClock,
      now: () => new Date(0).toISOString() as never,
      milliseconds: () => (milliseconds += 500),
    };
    await start({ clock });
    await open.projector.pause('tally');
    const position = await append(open.log, wordStream('a'), 0, wordSaid('x'));
    const refusal = await open.freshness
      .waitUntilApplied(['tally'], position)
      .catch((fault: unknown) => fault);
    expect(refusal).to.be.instanceOf(Fault);
    expect((refusal as Fault).code).to.equal('read-model-behind');
    expect(await open.freshness.waitUntilApplied(['tally'], null)).to.equal('0000000000000000');
    expect((await open.projector.status()).find(({ name }) => name === 'tally')).to.include({
      paused: true,
      lag_events: 1,
    });
    await open.projector.resume('tally');
    await pollUntil('it has caught up', 5_000, async () => (await tallyOf('a'))?.count === 1);
  });

  it('equals a replay of generated histories, with restarts on the way', async () => {
    await start();
    await fc.assert(
      fc.asyncProperty(traceLogs, fc.nat({ max: 20 }), async (events, cut) => {
        for (const [at, { stream, revision, type, data }] of events.entries()) {
          await append(open.log, stream, revision, newEvent(type, data));
          if (at % 5 === cut % 5) await open.untilCaughtUp();
          if (at === cut) {
            await open.close();
            await start();
          }
        }
        await open.untilCaughtUp();
        await same();
        await open.close();
        await folder.remove();
        folder = await temporaryFolder();
        await start();
      }),
      { numRuns: runs(3), endOnFailure: true },
    );
  });
});
