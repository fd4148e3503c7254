import { choiceOf } from '../config.js';
import { openEngines, replicaOf } from '../engines/open.js';
import { systemClock } from '../engines/node/clock.js';
import { Fault } from '../kernel/fault.js';
import type { Projector } from '../projections/operate.js';
import { behindReason } from '../projections/open-subscriptions.js';
import { recordsCollection } from '../projections/records/collection.js';
import { heedOf, type Projecting } from './projecting.js';
import { startReadSide, type ReadSide } from './read-side.js';
import { plays, type Starting } from './starting.js';

/**
 * Beside the lists, which one process folds for all, this process folds the records for itself if
 * it asks them (D-157). What it has is a copy: lost, it is filled from the log again. Throws
 * Fault `conflict` when another process holds the folder.
 */
export const withReplica = async (starting: Starting, lists: Projecting): Promise<Projecting> => {
  const { config, open, waiting, logger } = starting;
  if (config.records !== 'replica') return lists;
  if (!plays(config, 'query', 'worker')) return lists;
  const choice = replicaOf(choiceOf(config));
  const engines = await openEngines(choice);
  open.add('the folder of the replica', engines.lock());
  const hints = await engines.bus(null);
  open.add('hints of the replica', () => hints.close());
  const wish = { hintSpace: null, keeps: 'records' } as const;
  const replica = await waiting.patiently('the log', () =>
    startReadSide(choice, wish, heedOf(starting)),
  );
  open.begin('operators’ works on the replica', () => replica.projector.giveUp());
  open.add('the replica', () => replica.stop());
  const filling = openFilling(replica.projector, starting);
  logger.info({ dir: engines.dir }, 'this process folds its own records');
  return {
    ...lists,
    records: onceWhole(replica.records, filling),
    answers: onceWhole(replica.answers, filling),
    projector: routed(lists, replica.projector),
    isAsked: () => true,
    hints,
    ended: endOf(lists, replica),
  };
};

type Filling = () => string | null;

/** Why it is not whole; looked at until it is, which lasts. */
const openFilling = (
  projector: Pick<Projector, 'status'>,
  { open }: Pick<Starting, 'open'>,
): Filling => {
  let reason: string | null = behindReason;
  const ending = new AbortController();
  open.begin('the filling of the replica', () => ending.abort());
  const look = async (): Promise<void> => {
    while (reason !== null && !ending.signal.aborted) {
      await systemClock.wait(lookEveryMs, ending.signal);
      // The log may be away for a while.
      const statuses = await projector.status().catch(() => null);
      if (statuses !== null)
        reason = statuses.find(({ rebuilding }) => rebuilding)?.rebuilding ?? null;
    }
  };
  void look();
  return () => reason;
};
const lookEveryMs = 100;

/**
 * The port, refusing with Fault `read-model-behind` as long as it would answer from a part of the
 * log: somebody may have been answered by a whole one before.
 */
export const onceWhole = <T extends object>(port: T, filling: Filling): T =>
  new Proxy(port, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function' || alwaysAnswers.has(String(name))) return member;
      return (...values: readonly unknown[]): unknown => {
        const reason = filling();
        if (reason === null)
          return (member as (...given: readonly unknown[]) => unknown)(...values);
        throw new Fault('read-model-behind', `The records here are ${reason}`, {
          retryAfterSeconds: 1,
        });
      };
    },
  });
const alwaysAnswers: ReadonlySet<string> = new Set(['checkpoint', 'close']);

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
    giveUp: async () => void (await Promise.all([lists.giveUp(), replica.giveUp()])),
    stop: async () => void (await Promise.all([lists.stop(), replica.stop()])),
  };
};

/** A thread that dies takes the process along, whichever it is. */
const endOf = async (lists: Projecting, replica: ReadSide): Promise<void> => {
  await Promise.race([lists.ended, replica.ended]);
};
