import type { DuckDBInstance } from '@duckdb/node-api';
import { join } from 'node:path';
import type { Checkpoint } from '../../kernel/documents.js';
import { Fault } from '../../kernel/fault.js';
import type { RecordWrites } from '../../kernel/records/records.js';
import { removeFile } from './instance.js';
import type { Keeper } from './keeper.js';
import type { RecordsModel } from './model.js';
import { fileName, readPointer } from './pointer.js';
import { copyAlive, wantsPurge } from './purge.js';
import { openSpool, type Spool } from './spool.js';
import { applyWrites } from './write.js';

export type Batch = { readonly writes: RecordWrites; readonly checkpoint: Checkpoint };

/**
 * A file is copied without what was deleted while batches go on being written to it: the copy hears
 * of them when it is made, and takes the place of the file when it has all of them.
 */
type Purging = {
  /**
   * One at a time. Does nothing where nothing was deleted; throws when the copy was given up, or
   * when a file stays that was replaced.
   */
  readonly purge: () => Promise<void>;
  /** In turn: the live model has this batch. */
  readonly applied: (batch: Batch) => Promise<void>;
  /** In turn. Resolves when nothing is copied any more. */
  readonly giveUp: () => Promise<void>;
  /** Not in turn. The same, and nothing is left of the copy. */
  readonly close: () => Promise<void>;
};

/** Batches that a copy catches up with between two of the live model: more than come. */
const stepBatches = 2;

type Copying = {
  readonly from: RecordsModel;
  /** What the live model got since the copying began, and how far that took it, one by one. */
  readonly missed: Spool<Batch>;
  readonly marks: Checkpoint[];
  isGivenUp: boolean;
  /** The copy, or the file as which it is opened first. */
  copy: RecordsModel | null;
  copied: Promise<unknown>;
};

type Works = {
  readonly dir: string;
  readonly keeper: Keeper;
  /** What the batches of the live model are kept for. */
  current: Copying | null;
  /** No copy is begun any more. */
  isClosing: boolean;
};

export const openPurging = (dir: string, keeper: Keeper, next: () => number): Purging => {
  const works: Works = { dir, keeper, current: null, isClosing: false };
  let running: Promise<void> = Promise.resolve();

  const purge = async (): Promise<void> => {
    await keeper.removeReplaced();
    if ((await keeper.ask(wantsPurge)) === null) return;
    const copying = await begin(works);
    try {
      await replaced(works, copying, next());
    } finally {
      if (works.current === copying) works.current = null;
      await copying.missed.close();
    }
    await keeper.removeReplaced();
  };
  const giveUp = async (): Promise<void> => {
    const copying = works.current;
    if (copying === null) return;
    copying.isGivenUp = true;
    await copying.copy?.abandon().catch(() => undefined);
    await copying.copied.catch(() => undefined);
  };

  return {
    purge: () => (running = purge()),
    applied: async (batch) => {
      const copying = works.current;
      if (copying === null || copying.isGivenUp) return;
      try {
        await copying.missed.put(batch);
        copying.marks.push(batch.checkpoint);
      } catch {
        // The live model has the batch all the same.
        copying.isGivenUp = true;
      }
    },
    giveUp,
    close: async () => {
      works.isClosing = true;
      await giveUp();
      await running.catch(() => undefined);
    },
  };
};

const begin = (works: Works): Promise<Copying> =>
  works.keeper.inTurn(async () => {
    const from = works.keeper.live();
    const missed = await openSpool<Batch>(join(works.dir, 'records-missed'));
    if (works.isClosing) {
      await missed.close();
      throw givenUp();
    }
    const copied = Promise.resolve();
    works.current = { from, missed, marks: [], isGivenUp: false, copy: null, copied };
    return works.current;
  });

/** Of the live model by its copy; nothing is left of a copy that fails. */
const replaced = async (works: Works, copying: Copying, generation: number): Promise<void> => {
  const { dir, keeper } = works;
  const path = join(dir, fileName(generation));
  const catalog = `records_${generation}`;
  const instance = keeper.instance();
  const opened = (model: RecordsModel): void => {
    if (copying.copy !== null) keeper.forget(copying.copy);
    keeper.askOf(model);
    copying.copy = model;
    if (copying.isGivenUp) throw givenUp();
  };
  try {
    const made = removeFile(path).then(() =>
      copyAlive(instance, copying.from, { catalog, path }, opened),
    );
    // Before anything is waited for: whoever gives it up waits for all of it.
    copying.copied = made;
    const copy = await made;
    await keeper.inTurn(() => passOver(copying, copy.checkpoint));
    while (!(await keeper.inTurn(() => catchUp(works, copying, copy, generation))));
  } catch (error) {
    // Once the pointer names it, it is the live one whatever else failed.
    if ((await readPointer(dir)) !== generation) {
      await discard(keeper, copying, instance, catalog);
      await removeFile(path);
    }
    throw error;
  }
};

/** In turn. True: the copy is the live model now. */
const catchUp = async (
  works: Works,
  copying: Copying,
  copy: RecordsModel,
  generation: number,
): Promise<boolean> => {
  if (copying.isGivenUp || works.keeper.live() !== copying.from) throw givenUp();
  for (let count = 0; count < stepBatches; count += 1) {
    const batch = await copying.missed.take();
    if (batch === null) {
      works.current = null;
      await works.keeper.become(copy, generation);
      return true;
    }
    await applyWrites(copy, batch.writes, batch.checkpoint);
  }
  return false;
};

/** The engine may be gone, and then nothing holds the file. */
const discard = async (
  keeper: Keeper,
  { copy }: Copying,
  instance: DuckDBInstance,
  catalog: string,
): Promise<void> => {
  if (copy === null) return;
  await copy.abandon().catch(() => undefined);
  keeper.forget(copy);
  const control = await instance.connect().catch(() => null);
  await control?.run(`DETACH DATABASE IF EXISTS ${catalog}`).catch(() => undefined);
  control?.closeSync();
};

const givenUp = (): Fault => new Fault('unavailable', 'The copy is given up');

/** In turn: the batches that came before the moment whose state the copy has. */
const passOver = async ({ marks, missed }: Copying, at: Checkpoint): Promise<void> => {
  const last = marks.findLastIndex(
    ({ position, fence }) => position === at.position && fence === at.fence,
  );
  for (let count = 0; count <= last; count += 1) await missed.take();
};
