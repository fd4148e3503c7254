import { currentAsking } from '../engines/node/asking.js';
import { sha256 } from '../engines/node/digest.js';
import { openSlices } from '../engines/node/loop-turns.js';
import type { Documents } from '../kernel/documents.js';
import { openFairLine } from '../kernel/fair.js';
import { Fault } from '../kernel/fault.js';
import type { Bus, Clock, EventLog, Position } from '../kernel/ports.js';
import type { Records } from '../kernel/records/records.js';
import { projections } from '../projections/all.js';
import { fillingSentence, type Checkpoints, type FillingWatch } from '../projections/filling.js';
import { openFreshness } from '../projections/freshness.js';
import { openChains } from '../projections/history/chains.js';
import { historyCollection } from '../projections/history/collection.js';
import { recordsCollection } from '../projections/records/collection.js';
import { recordAnswers } from '../query-api/records/answers.js';
import { answersFor, documentsFor, recordsFor } from './asked.js';
import type { Pacing } from './pacing.js';
import type { Projecting } from './projecting.js';
import { busyMs, heeding, openPulse, silentMs } from './pulse.js';
import { announceReplica, followReplicas } from './replica.js';
import type { Starting } from './starting.js';

type Needs = {
  readonly log: EventLog;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly pacing: Pacing;
  readonly projecting: Projecting;
  readonly filling: FillingWatch;
  /** Aborts when nobody asks any more. */
  readonly signal: AbortSignal;
};

/** What reads are answered from, wherever it is folded, and how far that is. */
export const openReadModels = async (
  { config, engines, logger, open, waiting }: Starting,
  { log, bus, clock, pacing, projecting, filling, signal }: Needs,
) => {
  const { patiently } = waiting;
  const asked = await patiently('the read models', () => engines.documents('read'));
  open.add('the read models', () => asked.close());
  const isElsewhere = projecting.records === null && config.records === 'replica';
  const rows = isElsewhere
    ? askedElsewhere
    : (projecting.records ?? (await patiently('the records', () => engines.records())));
  if (projecting.records === null) open.add('the records', () => rows.close());
  const { documents: engine, records: recordsEngine } = engines.names;
  const isRemote = engine === 'mongodb';
  const looked = filling.watched(checkpointsOf(asked, isElsewhere ? null : rows));
  await patiently('the read models', () => positionsOf(looked));
  for (const one of filling.all()) logger.warn(one, fillingSentence(one));
  const pulse = openPulse(
    { what: 'the read models', clock, signal },
    async () => {
      const damage = asked.damage?.() ?? null;
      if (damage !== null) throw new Fault('unavailable', damage);
      const positions = await positionsOf(looked);
      if (config.records === 'replica' && !isElsewhere) announceReplica(bus, positions);
      return positions;
    },
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
  const checkpoints = filling.watched(checkpointsOf(documents, isElsewhere ? null : records));
  const heard = projecting.hints === null ? bus : hearingBoth(bus, projecting.hints);
  const freshness = openFreshness({
    reader: log,
    checkpoints,
    bus: heard,
    clock,
    filling,
    ...pacing.known,
  });
  if (isElsewhere) followReplicas(bus, pacing);
  else pacing.follow(() => records.checkpoint(), heard);
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
