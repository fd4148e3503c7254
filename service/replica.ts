import { choiceOf } from '../config.js';
import { openEngines, replicaOf } from '../engines/open.js';
import { start, type Bus, type Position } from '../kernel/ports.js';
import type { Projector } from '../projections/operate.js';
import { recordsCollection } from '../projections/records/collection.js';
import { heedOf, type Dropped, type Projecting } from './projecting.js';
import { movedSubject, movedTo } from '../projections/subscription.js';
import type { Pacing } from './pacing.js';
import { startReadSide, type ReadSide } from './read-side.js';
import { plays, type Starting } from './starting.js';

/**
 * Beside the lists, which one process folds for all, this process folds the records for itself if
 * it asks them (D-157). What it has is a copy: lost, it is filled from the log again. Throws
 * Fault `conflict` when another process holds the folder.
 */
export const withReplica = async (
  starting: Starting,
  lists: Projecting,
  { bus, dropped }: { readonly bus: Pick<Bus, 'publish'>; readonly dropped: Dropped },
): Promise<Projecting> => {
  const { config, open, waiting, logger } = starting;
  if (config.records !== 'replica') return lists;
  if (!plays(config, 'query', 'worker')) return lists;
  const choice = replicaOf(choiceOf(config));
  const engines = await openEngines(choice);
  open.add('the folder of the replica', engines.lock());
  const hints = await engines.bus(null);
  open.add('hints of the replica', () => hints.close());
  hints.subscribe(movedSubject, (message) => bus.publish(replicaSubject, message));
  const wish = { hintSpace: null, keeps: 'records' } as const;
  const replica = await waiting.patiently('the log', () =>
    startReadSide(choice, wish, heedOf(starting, dropped)),
  );
  open.begin('operators’ works on the replica', () => replica.projector.giveUp());
  open.add('the replica', () => replica.stop());
  logger.info({ dir: engines.dir }, 'this process folds its own records');
  return {
    ...lists,
    records: replica.records,
    answers: replica.answers,
    projector: routed(lists, replica.projector),
    isAsked: () => true,
    hints,
    ended: endOf(lists, replica),
  };
};

/** Hint for processes that have no records: the replica of another one has moved. */
const replicaSubject = 'replica.moved';

/** Said with each look at the read models too: a hint may be lost, or come before its listener. */
export const announceReplica = (
  bus: Pick<Bus, 'publish'>,
  positions: ReadonlyMap<string, Position>,
): void => {
  const { name } = recordsCollection;
  bus.publish(replicaSubject, { name, position: positions.get(name) ?? start });
};

/**
 * Backpressure of a process beside replicas, by the one that is furthest: one that is filled must
 * not hold up writes. Without a bus between the processes nothing is heard, and no append waits.
 */
export const followReplicas = (
  bus: Pick<Bus, 'subscribe'>,
  pacing: Pick<Pacing, 'follow'>,
): void => {
  let furthest: Position = start;
  bus.subscribe(replicaSubject, (message) => {
    const position = movedTo(message)?.position ?? start;
    if (position <= furthest) return;
    const isFirst = furthest === start;
    furthest = position;
    if (!isFirst) return;
    const hints: Pick<Bus, 'subscribe'> = {
      subscribe: (_subject, handler) => bus.subscribe(replicaSubject, handler),
    };
    pacing.follow(async () => furthest, hints);
  });
};

/** Asked for the records here, for the lists where they are folded, for all: what is here. */
const routed = ({ projector: lists, duty }: Projecting, replica: Projector): Projector => {
  const of = (name: string): Projector => (name === recordsCollection.name ? replica : lists);
  const here = (): readonly Projector[] => (duty() === 'folding' ? [lists, replica] : [replica]);
  const asked = (name: string | null): readonly Projector[] =>
    name === null ? here() : [of(name)];
  return {
    status: async () => (await Promise.all(here().map((one) => one.status()))).flat(),
    parked: async () => (await Promise.all(here().map((one) => one.parked()))).flat(),
    retry: (name, stream) => of(name).retry(name, stream),
    skip: (name, stream, revision) => of(name).skip(name, stream, revision),
    pause: (name) => of(name).pause(name),
    resume: (name) => of(name).resume(name),
    rebuild: async (name, progress, wishes) => {
      for (const one of asked(name)) await one.rebuild(name, progress, wishes);
    },
    dryRun: (name) => of(name).dryRun(name),
    verify: async (name, progress) => {
      const verified = [];
      for (const one of asked(name)) verified.push(...(await one.verify(name, progress)));
      return verified;
    },
    erasing: async () => (await Promise.all(here().map((one) => one.erasing()))).flat(),
    giveUp: async () => void (await Promise.all([lists.giveUp(), replica.giveUp()])),
    stop: async () => void (await Promise.all([lists.stop(), replica.stop()])),
  };
};

/** A thread that dies takes the process along, whichever it is. */
const endOf = async (lists: Projecting, replica: ReadSide): Promise<void> => {
  await Promise.race([lists.ended, replica.ended]);
};
