import { currentAsking } from '../engines/node/asking.js';
import { sha256 } from '../engines/node/digest.js';
import { openSlices } from '../engines/node/loop-turns.js';
import type { Documents } from '../kernel/documents.js';
import { openFairLine } from '../kernel/fair.js';
import { Fault } from '../kernel/fault.js';
import { start, type Bus, type Clock, type EventLog, type Position } from '../kernel/ports.js';
import type { Records } from '../kernel/records/records.js';
import { projections } from '../projections/all.js';
import { openFreshness } from '../projections/freshness.js';
import { openChains } from '../projections/history/chains.js';
import { historyCollection } from '../projections/history/collection.js';
import { recordsCollection } from '../projections/records/collection.js';
import { recordAnswers } from '../query-api/records/answers.js';
import { behindReason } from '../projections/open-subscriptions.js';
import { answersFor, documentsFor, recordsFor } from './asked.js';
import { onceWhole, openFilling } from './filling.js';
import type { Pacing } from './pacing.js';
import type { Projecting } from './projecting.js';
import { busyMs, heeding, openPulse, silentMs } from './pulse.js';
import { plays, type Starting } from './starting.js';

type Needs = {
  readonly log: EventLog;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly pacing: Pacing;
  readonly projecting: Projecting;
  /** Aborts when nobody asks any more. */
  readonly signal: AbortSignal;
};

/** What reads are answered from, wherever it is folded, and how far that is. */
export const openReadModels = async (
  { config, engines, open, waiting }: Starting,
  { log, bus, clock, pacing, projecting, signal }: Needs,
) => {
  const { patiently } = waiting;
  /**
   * Records that nobody folded for a while are filled from the log first: those of another count of
   * partitions, or those beside which the lists went on alone.
   */
  const openShared = async ({ head }: Pick<EventLog, 'head'>): Promise<Records> => {
    const shared = await engines.records();
    const until =
      config.recordsPartitions === 1
        ? furthest(await positionsOf(checkpointsOf(asked, null)))
        : await head();
    const look = async () => ((await shared.checkpoint()) < until ? behindReason : null);
    return onceWhole(shared, openFilling(look, open));
  };
  const asked = await patiently('the read models', () => engines.documents('read'));
  open.add('the read models', () => asked.close());
  const isElsewhere = projecting.records === null && config.records === 'replica';
  const rows = isElsewhere
    ? askedElsewhere
    : (projecting.records ?? (await patiently('the records', () => openShared(log))));
  if (projecting.records === null) open.add('the records', () => rows.close());
  const { documents: engine, records: recordsEngine } = engines.names;
  const isRemote = engine === 'mongodb';
  const pulse = openPulse(
    { what: 'the read models', clock, signal },
    () => positionsOf(checkpointsOf(asked, isElsewhere ? null : rows)),
    isRemote ? silentMs : busyMs,
  );
  const readModels = isRemote ? heeding(asked, pulse, ['caution', 'close']) : asked;
  const found = recordsEngine === 'mongodb' ? heeding(rows, pulse, ['close']) : rows;
  const documents = documentsFor(readModels, currentAsking);
  const share = shareOf(recordsEngine, config.poolThreads);
  const line = openFairLine(share.atOnce, share.ofProject, share.waiting);
  const records = recordsFor(found, currentAsking, line);
  const made = projecting.answers ?? recordAnswers({ records: found, inSlices: openSlices() });
  const answers = answersFor(made, currentAsking, line);
  const chains = openChains(documents, sha256);
  const checkpoints = checkpointsOf(documents, isElsewhere ? null : records);
  const heard = projecting.hints === null ? bus : hearingBoth(bus, projecting.hints);
  const freshness = openFreshness({ reader: log, checkpoints, bus: heard, clock, ...pacing.known });
  if (plays(config, 'projections', 'query') && !isElsewhere)
    pacing.follow(() => records.checkpoint(), heard);
  return { documents, records, answers, chains, freshness, checkpoints, pulse };
};

/** Hints of this process come beside those of all. */
const hearingBoth = (bus: Bus, hints: Pick<Bus, 'subscribe'>): Bus => ({
  ...bus,
  subscribe: (subject, handler) => {
    const ends = [bus, hints].map((one) => one.subscribe(subject, handler));
    return () => ends.forEach((end) => end());
  },
});

/** Where records are folded by those who ask them, and this process does not. */
const askedElsewhere: Records = new Proxy({} as Records, {
  get: (_target, name) => async (): Promise<void> => {
    if (name === 'close') return;
    throw new Fault('unavailable', 'Records are where the roles query and worker are played');
  },
});

type Checkpoints = ReadonlyMap<string, () => Promise<Position>>;

const checkpointsOf = (
  documents: Pick<Documents, 'checkpoint'>,
  records: Pick<Records, 'checkpoint'> | null,
): Checkpoints => {
  const collections = [...projections.map(({ collection }) => collection), historyCollection];
  return new Map([
    ...collections.map(
      (collection) => [collection.name, () => documents.checkpoint(collection)] as const,
    ),
    ...(records === null ? [] : [[recordsCollection.name, () => records.checkpoint()] as const]),
  ]);
};

const furthest = (positions: ReadonlyMap<string, Position>): Position =>
  [...positions.values()].reduce((one, other) => (other > one ? other : one), start);

/** How far each read model is, by name. */
const positionsOf = async (checkpoints: Checkpoints): Promise<ReadonlyMap<string, Position>> =>
  new Map(
    await Promise.all([...checkpoints].map(async ([name, ask]) => [name, await ask()] as const)),
  );

/**
 * Questions about records that are at work, in all and of one project, and that wait beside. DuckDB
 * works on two cores, and each question at work holds one of the threads that the process has for
 * this, passwords and files. Of node's usual four one stays for the projections; with the twelve of
 * `npm start` and the image three projects have their share at once.
 */
const shareOf = (engine: 'duckdb' | 'mongodb', poolThreads: number) => {
  if (engine === 'mongodb') return { atOnce: 16, ofProject: 4, waiting: 64 };
  return { atOnce: poolThreads < 8 ? 3 : 6, ofProject: 2, waiting: 66 };
};
