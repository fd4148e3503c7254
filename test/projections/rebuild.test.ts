import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { Type } from 'typebox';
import { openBus } from '../../engines/memory/bus.js';
import { systemClock } from '../../engines/node/clock.js';
import { openEventLog } from '../../engines/sqlite/event-log.js';
import { Fault } from '../../kernel/fault.js';
import {
  logStart,
  streamNameOf,
  type Clock,
  type EventLog,
  type Position,
  type StoredEvent,
} from '../../kernel/ports.js';
import type { Document } from '../../kernel/documents.js';
import type { Records } from '../../kernel/records/records.js';
import type { AnyProjection } from '../../projections/documents-model.js';
import { projectorStateCollection } from '../../projections/parking.js';
import { batchEventsMax } from '../../projections/subscription.js';
import { temporaryFolder } from '../support/folder.js';
import {
  append,
  newEvent,
  projectorIn,
  type OpenProjector,
  type ProjectorOptions,
} from '../support/projector.js';
import { wordStream, wordSaid } from '../support/word-projection.js';
import { pollUntil } from '../support/poll-until.js';

type Said = StoredEvent<{ readonly type: 'Said'; readonly data: { readonly word: string } }>;

/** The words said in a stream, as many as there were and the last one; cannot stand `bad`. */
const tally = (version = 1): AnyProjection => ({
  collection: { name: 'tally', version, fields: {} },
  events: { Said: Type.Object({ word: Type.String() }) },
  keys: (event: Said) => [event.stream],
  evolve: (document: Document<{ count: number }> | null, { data }: Said, key: string) => {
    if (data.word === 'bad') throw new Error('cannot stand it');
    const count = (document?.body.count ?? 0) + 1;
    return { key, scope: 's', fields: {}, body: { count, last: data.word } };
  },
});
/** A clock whose waits last 5 ms at most. */
const impatient: Clock = {
  ...systemClock,
  wait: (ms, signal) => systemClock.wait(Math.min(ms, 5), signal),
};
/** More than two pages of the log. */
const many = (word: string) => Array.from({ length: 1_200 }, (_, at) => wordSaid(`${word} ${at}`));
/** Ends a job without anything to purge, so that records only see the event. */
const done = (log: EventLog, job: string): Promise<Position> =>
  append(
    log,
    streamNameOf('org-job', job),
    0,
    newEvent('OrgJobCompleted', { job_id: randomUUID() }),
  );
const fill = async (log: EventLog, word: string): Promise<void> => {
  await append(log, wordStream('a'), 0, wordSaid('first'));
  await done(log, 'before');
  await append(log, wordStream('b'), 0, wordSaid('bad'));
  await log.append([{ stream: wordStream('a'), expected: 0, events: many(word) }]);
  await append(log, wordStream('b'), 1, wordSaid('late'));
};

describe('an interrupted rebuild', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let open: OpenProjector;
  /** Positions from which the rebuild and the live projector read pages. */
  let read: Position[];
  /** Types of the pages read; null: all. */
  let types: (string | null)[];
  let reading: (after: Position) => Promise<void>;
  const begin = async (
    version = 1,
    through: Pick<ProjectorOptions, 'records' | 'documents' | 'clock'> = {},
  ): Promise<void> => {
    read = [];
    types = [];
    reading = async () => undefined;
    open = await projectorIn({
      ...through,
      dir: folder.dir,
      projections: [tally(version)],
      reader: (log) => ({
        ...log,
        page: async (after, limit, ofTypes) => {
          const isWatch = ofTypes?.join() === 'OrgJobCompleted';
          if (limit === batchEventsMax && !isWatch) {
            read.push(after);
            types.push(ofTypes?.join() ?? null);
            await reading(after);
          }
          return log.page(after, limit, ofTypes);
        },
      }),
    });
  };
  const buildingOf = async (name: string) =>
    (await open.projector.status()).find((one) => one.name === name)?.building ?? null;
  const ready = async (name: string): Promise<void> => {
    await open.untilCaughtUp();
    await pollUntil(`${name} is built`, 10_000, async () => (await buildingOf(name)) === null);
  };
  /** Ends the projector when the copy has taken its first page. */
  const interrupted = async (name: string): Promise<Position> => {
    const stops: Promise<void>[] = [];
    let at = logStart;
    const refusal = await open.projector
      .rebuild(name, ({ position }) => {
        at = position;
        if (position > logStart) stops.push(open.projector.stop());
      })
      .catch((error: unknown) => error);
    expect(refusal).to.be.instanceOf(Fault).with.property('code', 'unavailable');
    await Promise.all(stops);
    await open.close();
    return at;
  };
  const same = async (): Promise<void> => {
    for (const { name, difference } of await open.projector.verify(null)) {
      expect(difference, name).to.equal(null);
    }
  };
  const tallyOf = async (name: string) =>
    (await open.documents.get({ ...tally().collection }, wordStream(name)))?.body ?? null;
  beforeEach(async () => {
    folder = await temporaryFolder();
    await begin();
    await fill(open.log, 'word');
    await open.untilCaughtUp();
  });
  afterEach(async () => {
    await open.close();
    await folder.remove();
  });

  for (const name of ['tally', 'records']) {
    it(`resumes by itself from where it was: ${name}`, async () => {
      const at = await interrupted(name);
      await begin();
      await ready(name);
      expect(read).to.include(at);
      expect(read).not.to.include(logStart);
      expect(await tallyOf('a')).to.deep.equal({ count: 1_201, last: 'word 1199' });
      await same();
      const gone = await open.projector
        .rebuild(name, undefined, { begin: 'resume' })
        .catch((error: unknown) => error);
      expect(gone).to.be.instanceOf(Fault).with.property('code', 'conflict');
    });
  }

  it('remembers poison events, and parks their streams', async () => {
    await interrupted('tally');
    await begin();
    await ready('tally');
    const parked = await open.projector.parked();
    expect(parked.map((one) => [one.stream, one.revision])).to.deep.equal([[wordStream('b'), 0]]);
    expect(await tallyOf('b')).to.equal(null);
    await same();
  });

  it('starts from the first event when an operator requests it', async () => {
    const at = await interrupted('tally');
    await begin();
    await open.projector.rebuild('tally', undefined, { begin: 'restart' });
    expect(read).to.include(logStart);
    expect(at > logStart).to.equal(true);
    await same();
  });

  it('is discarded for another version of the read model', async () => {
    await interrupted('tally');
    await begin(2);
    await open.untilCaughtUp();
    expect(await buildingOf('tally')).to.equal(null);
    await open.close();
    await begin();
    expect(await buildingOf('tally')).to.equal(null);
    const left = await open.documents.find(projectorStateCollection, {
      scope: 'service',
      limit: 100,
    });
    const kinds = left.documents.map(({ fields }) => fields['kind']);
    expect(kinds.filter((kind) => String(kind).startsWith('building'))).to.deep.equal([]);
  });

  it('is discarded when the log is another one, of any length', async () => {
    await interrupted('tally');
    for (const end of ['', '-wal', '-shm']) {
      await rm(join(folder.dir, `log.sqlite${end}`), { force: true });
    }
    const bus = openBus(randomUUID());
    const log = await openEventLog({ dir: folder.dir, bus });
    await fill(log, 'other');
    await append(log, wordStream('a'), 1_201, wordSaid('end'));
    await log.close();
    await bus.close();
    await begin();
    await ready('tally');
    expect(read).to.include(logStart);
    expect(await tallyOf('a')).to.deep.equal({ count: 1_202, last: 'end' });
    await same();
  });

  it('starts again when a purge event comes before its position', async () => {
    read.length = 0;
    const head = await open.log.head();
    reading = async (after) => {
      if (after === logStart || after >= head) return;
      reading = async () => undefined;
      await done(open.log, 'a');
    };
    await open.projector.rebuild('records');
    expect(read.filter((after) => after === logStart)).to.have.length(2);
    await same();
  });

  it('retries an unavailable store, and continues with the rows it has', async () => {
    // Two pages with something for the records.
    await done(open.log, 'a');
    await open.close();
    let begun = 0;
    await begin(1, {
      clock: impatient,
      records: (found) => ({
        ...found,
        shadow: async (copying) => {
          const copy = await found.shadow(copying);
          if (copying?.durable !== true) return copy;
          begun += 1;
          let pages = 0;
          const apply: Records['apply'] = async (writes, checkpoint) => {
            pages += 1;
            if (pages === 2) throw new Fault('unavailable', 'no answer');
            await copy.model.apply(writes, checkpoint);
          };
          return { ...copy, model: { ...copy.model, apply } };
        },
      }),
    });
    await open.untilCaughtUp();
    read.length = 0;
    await open.projector.rebuild('records');
    expect(begun).to.equal(1);
    expect(read.filter((after) => after === logStart)).to.have.length(1);
    await same();
  });

  it('keeps its copy when the store cannot read its checkpoint', async () => {
    const at = await interrupted('records');
    let asked = 0;
    await begin(1, {
      clock: impatient,
      records: (found) => ({
        ...found,
        resume: async (id) => {
          const copy = await found.resume(id);
          if (copy === null) return null;
          const checkpoint: Records['checkpoint'] = async () => {
            asked += 1;
            if (asked === 1) throw new Fault('unavailable', 'no answer');
            return copy.model.checkpoint();
          };
          return { ...copy, model: { ...copy.model, checkpoint } };
        },
      }),
    });
    await ready('records');
    expect(asked).to.be.greaterThan(1);
    expect(read).to.include(at);
    expect(read).not.to.include(logStart);
    await same();
  });

  for (const failing of ['promote', 'apply']) {
    it(`continues from its position when ${failing} fails after the switch`, async () => {
      await open.close();
      let switches = 0;
      let failsAt: string | null = null;
      const failure = new Error('the disk is full');
      const failIn = (name: string): void => {
        if (failsAt !== name) return;
        failsAt = null;
        throw failure;
      };
      await begin(1, {
        documents: (found) => ({
          ...found,
          apply: async (...given) => {
            failIn('apply');
            await found.apply(...given);
          },
          shadow: async (...given) => {
            const copy = await found.shadow(...given);
            const promote = async (): Promise<void> => {
              await copy.promote();
              failsAt = switches === 0 ? failing : null;
              switches += 1;
              failIn('promote');
            };
            return { ...copy, promote };
          },
        }),
      });
      await open.untilCaughtUp();
      await open.projector.pause('tally');
      await append(open.log, wordStream('a'), 1_201, wordSaid('one'));
      await append(open.log, wordStream('a'), 1_202, wordSaid('two'));
      const refusal = await open.projector.rebuild('tally').catch((error: unknown) => error);
      expect(refusal).to.equal(failure);
      expect(await tallyOf('a')).to.deep.equal({ count: 1_203, last: 'two' });
      await append(open.log, wordStream('a'), 1_203, wordSaid('three'));
      await open.projector.resume('tally');
      await open.untilCaughtUp();
      expect(await tallyOf('a')).to.deep.equal({ count: 1_204, last: 'three' });
      await open.projector.rebuild('tally');
      await same();
    });
  }

  it('refuses to compare when the log cannot be read to its end', async () => {
    const head = await open.log.head();
    reading = async (after) => {
      if (after >= head) throw new Fault('log-damaged', 'an event is not what it was');
    };
    await append(open.log, wordStream('c'), 0, wordSaid('unread'));
    const found = await open.projector.verify(null).catch((error: unknown) => error);
    expect(found).to.be.instanceOf(Fault).with.property('message').that.includes('is stalled at');
  });

  it('reads only the event types that the read model subscribes to', async () => {
    types.length = 0;
    await open.projector.rebuild('tally');
    // The log has three pages, and what is live reads all that comes.
    expect(types.filter((one) => one === 'Said')).to.have.length.at.least(3);
    expect(await tallyOf('a')).to.deep.equal({ count: 1_201, last: 'word 1199' });
    await same();
  });

  it('is joined by requests made meanwhile', async () => {
    const seen = { one: 0, other: 0 };
    read.length = 0;
    const others: Promise<void>[] = [];
    await open.projector.rebuild('tally', () => {
      seen.one += 1;
      if (others.length > 0) return;
      others.push(open.projector.rebuild('tally', () => (seen.other += 1)));
    });
    await Promise.all(others);
    expect(seen.other).to.be.at.least(seen.one);
    expect(read.filter((after) => after === logStart)).to.have.length(1);
  });
});
