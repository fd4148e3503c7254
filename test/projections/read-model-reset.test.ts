import { expect } from 'chai';
import { Type } from 'typebox';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openWorkerCursor } from '../../command-api/work/worker-cursor.js';
import { systemClock } from '../../engines/node/clock.js';
import { diskFiles } from '../../engines/node/files.js';
import { randomIds } from '../../engines/node/ids.js';
import { logStart, type EventReader, type Position } from '../../kernel/ports.js';
import type { Document } from '../../kernel/documents.js';
import type { AheadReadModel } from '../../projections/read-model-reset.js';
import type { AnyProjection } from '../../projections/documents-model.js';
import { openParkedDecisions } from '../../service/parked-decisions.js';
import { temporaryFolder } from '../support/folder.js';
import { append, projectorIn, type OpenProjector } from '../support/projector.js';
import { wordStream, wordSaid } from '../support/word-projection.js';
import { pollUntil } from '../support/poll-until.js';

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

describe('a log other than the one that was folded', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let backup: Awaited<ReturnType<typeof temporaryFolder>>;
  let open: OpenProjector;
  let ahead: readonly AheadReadModel[];
  let release = (): void => undefined;
  const begin = async (reader: (log: EventReader) => EventReader = (log) => log) => {
    ahead = [];
    open = await projectorIn({
      dir: folder.dir,
      projections: [wordsSaid],
      reader,
      onLogReplaced: (models) => (ahead = models),
    });
  };
  const wordsOf = async (name: string) =>
    (await open.documents.get(wordsSaid.collection, wordStream(name)))?.body ?? null;
  const removeLog = async () => {
    for (const end of ['', '-wal', '-shm']) {
      await rm(join(folder.dir, `log.sqlite${end}`), { force: true });
    }
  };
  /** Four words and a decision in the log and all of it folded, the first two in the backup. */
  beforeEach(async () => {
    folder = await temporaryFolder();
    backup = await temporaryFolder();
    await begin();
    await append(open.log, wordStream('a'), 0, wordSaid('one'));
    await append(open.log, wordStream('a'), 1, wordSaid('two'));
    await open.untilCaughtUp();
    await open.close();
    await cp(join(folder.dir, 'log.sqlite'), join(backup.dir, 'log.sqlite'));
    await begin();
    await append(open.log, wordStream('b'), 0, wordSaid('bad'));
    await append(open.log, wordStream('a'), 2, wordSaid('lost'));
    await open.untilCaughtUp();
    await pollUntil('a stream is parked', 5_000, async () => {
      return (await open.projector.parked()).length === 1;
    });
    const needs = { log: open.log, clock: systemClock, ids: randomIds };
    const because = { reason: 'it was a slip', operator: 'ada' };
    await openParkedDecisions(needs, open.projector).skip({
      projection: 'words',
      stream: wordStream('b'),
      ...because,
    });
    await open.untilCaughtUp();
    await open.close();
  });
  afterEach(async () => {
    release();
    await open.close();
    await folder.remove();
    await backup.remove();
  });

  it('is folded from its first event after the restore of an older backup', async () => {
    await removeLog();
    await cp(join(backup.dir, 'log.sqlite'), join(folder.dir, 'log.sqlite'));
    await begin();
    await append(open.log, wordStream('b'), 0, wordSaid('first'));
    await append(open.log, wordStream('a'), 2, wordSaid('three'));
    await open.untilCaughtUp();
    expect(await wordsOf('a')).to.deep.equal(['one', 'two', 'three']);
    // What was ruled out was another event at that place.
    expect(await wordsOf('b')).to.deep.equal(['first']);
    for (const { name, difference } of await open.projector.verify(null)) {
      expect(difference, name).to.equal(null);
    }
    expect(ahead.map(({ name }) => name)).to.have.members(['words', 'records']);
    expect(ahead.every(({ checkpoint, head }) => checkpoint > head)).to.equal(true);
    await open.close();
    await begin();
    expect(ahead).to.deep.equal([]);
    expect(await wordsOf('a')).to.deep.equal(['one', 'two', 'three']);
  });

  it('is folded from its first event after a reset', async () => {
    await removeLog();
    await begin();
    await pollUntil('nothing is left', 5_000, async () => (await wordsOf('a')) === null);
    await append(open.log, wordStream('a'), 0, wordSaid('new'));
    await open.untilCaughtUp();
    expect(await wordsOf('a')).to.deep.equal(['new']);
  });

  it('is reported as rebuilding until all of it is folded', async () => {
    await removeLog();
    await cp(join(backup.dir, 'log.sqlite'), join(folder.dir, 'log.sqlite'));
    const held = new Promise<void>((resolve) => (release = resolve));
    await begin((log) => ({
      ...log,
      page: async (after, limit) => {
        // One event is what a question about the lag looks at.
        if (limit > 1) await held;
        return log.page(after, limit);
      },
    }));
    const rebuilding = async () => (await open.projector.status()).map((one) => one.rebuilding);
    for (const why of await rebuilding()) {
      expect(why).to.equal(
        'rebuilt: its checkpoint 0000000000000005 ' +
          'is beyond the head of the log, 0000000000000002',
      );
    }
    expect(await wordsOf('a')).to.equal(null);
    release();
    await open.untilCaughtUp();
    expect(await rebuilding()).to.deep.equal([null, null]);
  });

  it('invalidates a worker cursor beyond its end', async () => {
    const path = join(folder.dir, 'bookmark');
    const at = (count: number) => `000000000000000${count}` as Position;
    await begin();
    const kept = openWorkerCursor({ files: diskFiles, path, log: open.log });
    await kept.write(at(5), Infinity);
    expect(await kept.read()).to.equal(at(5));
    await kept.write(at(6), Infinity);
    expect(await kept.read()).to.equal(logStart);
  });
});
