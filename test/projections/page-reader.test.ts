import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { openBus } from '../../engines/memory/bus.js';
import { openEventLog } from '../../engines/sqlite/event-log.js';
import { logStart, type EventLog, type Position, type StoredEvent } from '../../kernel/ports.js';
import { partRowsMin, openPageReader, type PageReader } from '../../projections/page-reader.js';
import { announceWaitingRead } from '../../projections/waiting-reads.js';
import { temporaryFolder } from '../support/folder.js';
import { newEvent } from '../support/projector.js';
import { projectId, traceStream } from '../support/random-trace-logs.js';

const traces = 100;
const spans = 10;
/** Another project, which only reads. */
const reading = randomUUID();
/** Events of these traces that a part has at least. */
const partEventsMin = Math.ceil(partRowsMin / (1 + spans));

describe('pages of the log', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let bus: ReturnType<typeof openBus>;
  let log: EventLog;
  let now: number;
  let reads: number;
  let pages: PageReader;
  beforeEach(async () => {
    folder = await temporaryFolder();
    bus = openBus(randomUUID());
    log = await openEventLog({ dir: folder.dir, bus });
    now = 0;
    reads = 0;
    pages = openPageReader({
      reader: {
        ...log,
        page: (...asked) => {
          reads += 1;
          return log.page(...asked);
        },
      },
      decode: (_type, _schema, data) => data,
      bus,
      clock: { milliseconds: () => now },
    });
    await log.append(
      Array.from({ length: traces }, (_, at) => ({
        stream: traceStream(at),
        expected: 'none' as const,
        events: [newEvent('TraceLogged', { spans: Array.from({ length: spans }, () => 'span') })],
      })),
    );
  });
  afterEach(async () => {
    await Promise.all([log.close(), bus.close()]);
    await folder.remove();
  });
  /** Sizes of the pages up to the head of the log, and their events. */
  const readAll = async () => {
    const events: StoredEvent[] = [];
    const sizes: number[] = [];
    for (let position: Position = logStart; ;) {
      const page = await pages.readAfter(position);
      if (page.through === position) return { sizes, events };
      sizes.push(page.events.length);
      events.push(...page.events);
      position = page.through;
    }
  };
  /** A read of this project waits for the event at this index of the log. */
  const waitsFor = async (project: string, index: number): Promise<void> => {
    const { events } = await log.page(logStart, traces);
    announceWaitingRead(bus, project, events[index]?.position ?? logStart);
    await new Promise((resolve) => setImmediate(resolve));
  };

  it('end where a read of another project waits, and lose no event', async () => {
    const whole = await readAll();
    expect(whole.sizes).to.deep.equal([traces]);
    await waitsFor(reading, 39);
    reads = 0;
    const divided = await readAll();
    expect(divided.sizes).to.deep.equal([40, traces - 40]);
    expect(divided.events).to.deep.equal(whole.events);
    expect(reads, 'the page, and the end of the log').to.equal(2);
  });

  it('have parts that are worth a batch, however many reads wait', async () => {
    for (let index = 0; index < traces; index += 1) await waitsFor(reading, index);
    const { sizes } = await readAll();
    expect(sizes.length).to.be.above(1);
    expect(Math.min(...sizes)).to.be.at.least(partEventsMin);
  });

  it('are whole for a read of the same project, and after the read', async () => {
    await waitsFor(projectId, 39);
    expect((await readAll()).sizes).to.deep.equal([traces]);
    await waitsFor(reading, 39);
    now = 10_000;
    expect((await readAll()).sizes).to.deep.equal([traces]);
  });

  it('are read again where the rest of a page is old, or another position is read', async () => {
    await waitsFor(reading, 39);
    const first = await pages.readAfter(logStart);
    await pages.readAfter(logStart);
    expect(reads).to.equal(2);
    now = 10_000;
    const { events } = await pages.readAfter(first.through);
    expect(reads).to.equal(3);
    expect(events).to.have.length(traces - 40);
  });
});
