import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { openBus } from '../../engines/memory/bus.js';
import { openEventLog, openEventReader } from '../../engines/sqlite/event-log.js';
import { openAppender } from '../../engines/sqlite/log-append.js';
import { copyLog } from '../../engines/sqlite/log-copy.js';
import { scanLog } from '../../engines/sqlite/log-scan.js';
import {
  lastPosIn,
  logFile,
  openForReading,
  openForWriting,
  posOf,
} from '../../engines/sqlite/log-schema.js';
import { Fault } from '../../kernel/fault.js';
import {
  logStart,
  type NotificationBus,
  type EventLog,
  type Evidence,
  type StreamName,
} from '../../kernel/ports.js';
import { appendOne } from '../suites/event-log.js';
import { temporaryFolder } from '../support/folder.js';
import { appendOf, metadata, newEvent, newStream } from '../support/new-events.js';

describe('copy of the SQLite log', () => {
  let from: Awaited<ReturnType<typeof temporaryFolder>>;
  let to: Awaited<ReturnType<typeof temporaryFolder>>;
  let bus: NotificationBus;
  let log: EventLog;
  beforeEach(async () => {
    [from, to] = [await temporaryFolder(), await temporaryFolder()];
    bus = openBus(from.dir);
    log = await openEventLog({ dir: from.dir, bus });
  });
  afterEach(async () => {
    await log.close();
    await bus.close();
    await from.remove();
    await to.remove();
  });
  const grow = async (count: number, text: string): Promise<void> => {
    const stream = newStream();
    const events = Array.from({ length: count }, (_, at) => newEvent({ at, text }));
    await appendOne(log, appendOf(stream, 'none', ...events));
  };
  const copied = (progress: (done: number) => void = () => undefined) =>
    copyLog({ from: from.dir, to: to.dir, progress });
  const evidenceIn = async (dir: string): Promise<readonly Evidence[]> => {
    const own = openBus(dir);
    const reader = await openEventReader({ dir, bus: own });
    const { events } = await reader.evidence(logStart, 10_000);
    await reader.close();
    await own.close();
    return events;
  };
  const same = async (): Promise<void> => {
    expect(await evidenceIn(to.dir)).to.deep.equal(await evidenceIn(from.dir));
  };

  it('has every event as it is stored, and then the newer ones', async () => {
    await grow(1_200, 'first');
    expect(await copied()).to.deep.equal({ position: await log.head(), added: 1_200 });
    await same();
    await grow(10, 'second');
    expect(await copied()).to.deep.equal({ position: await log.head(), added: 10 });
    await same();
    expect((await copied()).added).to.equal(0);
  });

  it('resumes after an interruption', async () => {
    await grow(1_800, 'x');
    const broken = copied((done) => {
      if (done >= 1_000) throw new Error('killed');
    });
    expect(await broken.catch((error: unknown) => String(error))).to.include('killed');
    const { added } = await copied();
    expect(added).to.be.greaterThan(0).and.lessThan(1_800);
    await same();
  });

  it('loses the content that is erased after it was copied, byte for byte', async () => {
    const stream = newStream();
    await appendOne(log, appendOf(stream, 'none', newEvent({ text: 'canary-in-the-copy' })));
    await grow(5, 'neighbour');
    await copied();
    expect(await readFile(logFile(to.dir), 'latin1')).to.include('canary-in-the-copy');
    await log.erase(stream);
    await copied();
    expect(await readFile(logFile(to.dir), 'latin1')).not.to.include('canary-in-the-copy');
    await same();
  });

  it('has the event that names each erasure, while the log is written and erased', async () => {
    let erased = newStream();
    await appendOne(log, appendOf(erased, 'none', newEvent({ text: 'copied, then erased' })));
    await grow(1_200, 'x');
    const database = openForWriting(from.dir);
    const { append, erase } = openAppender(database);
    const put = (stream: StreamName, data: object): void => {
      const { id, type } = newEvent();
      const texts = { data: JSON.stringify(data), metadata: JSON.stringify(metadata) };
      append({ stream, expected: -1, events: [{ id, type, ...texts }] });
    };
    let count = 0;
    const { position } = await copied(() => {
      count += 1;
      database.transaction('immediate', () => {
        put(newStream(), { naming: erased });
        erase(erased);
        erased = newStream();
        put(erased, { text: 'erased in the next step' });
      });
    });
    database.close();
    expect(count).to.be.greaterThan(2);
    const copy = openForReading(to.dir);
    const unnamed = `SELECT stream FROM erased WHERE NOT EXISTS
      (SELECT 1 FROM events WHERE data = json_object('naming', erased.stream))`;
    expect(copy.prepare(unnamed).all()).to.deep.equal([]);
    expect(copy.prepareValue('SELECT count(*) FROM erased').get()).to.be.greaterThan(1);
    expect([...scanLog(copy, 0)].flatMap(({ unreadable }) => unreadable)).to.deep.equal([]);
    expect(lastPosIn(copy)).to.equal(posOf(position));
    copy.close();
  });

  it('rejects another log', async () => {
    await grow(3, 'ours');
    await copied();
    const other = await temporaryFolder();
    const theirs = await openEventLog({ dir: other.dir, bus });
    await appendOne(theirs, appendOf(newStream(), 'none', newEvent({ text: 'theirs' })));
    const refused: unknown = await copyLog({
      from: other.dir,
      to: to.dir,
      progress: () => undefined,
    }).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(Fault).that.has.property('code', 'conflict');
    await theirs.close();
    await other.remove();
  });
});
