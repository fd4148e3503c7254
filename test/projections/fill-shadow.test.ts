import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { openBus } from '../../engines/memory/bus.js';
import { openEventLog } from '../../engines/sqlite/event-log.js';
import { Fault } from '../../kernel/fault.js';
import { logStart, type EventLog } from '../../kernel/ports.js';
import { fillShadow, type FillShadowNeeds } from '../../projections/fill-shadow.js';
import { nothingParked } from '../../projections/parking.js';
import type { Sink } from '../../projections/read-model.js';
import { batchEventsMax } from '../../projections/subscription.js';
import { temporaryFolder } from '../support/folder.js';
import { wordStream, wordSaid } from '../support/word-projection.js';

const gone = new Fault('conflict', 'A newer projector has taken over');
const damaged = new Fault('log-damaged', 'The log is damaged');

/** A promise, and the end of waiting for it. */
const held = () => {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  return { released, release: () => release() };
};

/** A copy that notes what it folded and what was written, in turn. */
const noting = (
  written: () => Promise<void> = () => Promise.resolve(),
  folded: (events: number) => void = () => undefined,
) => {
  const steps: string[] = [];
  const sink: Sink = {
    name: 'words',
    version: 1,
    canPark: false,
    checkpoint: () => Promise.resolve(logStart),
    dump: async function* () {},
    fold: (events) => {
      steps.push(`folded ${events.length}`);
      folded(events.length);
      const apply = async (): Promise<void> => {
        steps.push(`writes ${events.length}`);
        await written();
        steps.push(`wrote ${events.length}`);
      };
      return Promise.resolve({ apply, poisons: [], gap: null });
    },
  };
  return { sink, steps };
};

describe('filling a shadow copy', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let log: EventLog;
  beforeEach(async () => {
    folder = await temporaryFolder();
    log = await openEventLog({ dir: folder.dir, bus: openBus(randomUUID()) });
  });
  afterEach(async () => {
    await log.close();
    await folder.remove();
  });
  const append = async (expected: number, count: number): Promise<void> => {
    const events = Array.from({ length: count }, () => wordSaid('word'));
    const first = expected === 0 ? 'none' : expected - 1;
    await log.append([{ stream: wordStream('a'), expected: first, events }]);
  };
  const filled = (sink: Sink, more: Partial<FillShadowNeeds> = {}) =>
    fillShadow(
      {
        reader: log,
        decode: (_type, _schema, data) => data,
        sink,
        fence: 1,
        parkedAndSkipped: nothingParked,
        ...more,
      },
      { position: logStart, poisons: new Map() },
      null,
    );

  it('folds the next page while one is written, and writes it afterwards', async () => {
    await append(0, batchEventsMax + 3);
    const { released, release } = held();
    const { sink, steps } = noting(
      () => released,
      (events) => (events === 3 ? release() : undefined),
    );
    await filled(sink);
    const [large, small] = [batchEventsMax, 3];
    expect(steps).to.deep.equal([
      `folded ${large}`,
      `writes ${large}`,
      `folded ${small}`,
      `wrote ${large}`,
      `writes ${small}`,
      `wrote ${small}`,
    ]);
  });

  it('folds events that arrive during the pause after the last page', async () => {
    await append(0, 3);
    const { sink, steps } = noting();
    let rests = 0;
    const taken = async (): Promise<void> => {
      rests += 1;
      if (rests === 1) await append(3, 2);
    };
    const { position } = await filled(sink, { afterPage: taken });
    expect(position).to.equal(await log.head());
    expect(steps).to.include('wrote 2');
  });

  it('writes no page after the signal aborts', async () => {
    await append(0, batchEventsMax + 3);
    const { released, release } = held();
    const { sink, steps } = noting(undefined, (events) => (events === 3 ? release() : undefined));
    const leaving = new AbortController();
    const taken = async (): Promise<void> => {
      await released;
      leaving.abort(gone);
    };
    const refusal = await filled(sink, { afterPage: taken, signal: leaving.signal }).catch(
      (error: unknown) => error,
    );
    expect(refusal).to.equal(gone);
    expect(steps).not.to.include('writes 3');
  });

  it('fails with the first error', async () => {
    await append(0, batchEventsMax + 3);
    const { released, release } = held();
    const { sink } = noting(async () => {
      await released;
      throw gone;
    });
    let pages = 0;
    const reader: EventLog = {
      ...log,
      page: async (...asked) => {
        pages += 1;
        if (pages === 1) return log.page(...asked);
        release();
        throw damaged;
      },
    };
    const refusal = await filled(sink, { reader }).catch((error: unknown) => error);
    expect(refusal).to.equal(gone);
  });
});
