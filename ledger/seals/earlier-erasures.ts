import { parseJsonText } from '../../kernel/json-text.js';
import type { EarlierErasureEvent } from '../../events/erasures.js';
import type { Decision, Fold } from '../../kernel/decision.js';
import { systemChain, type ChainName, type ChainPages, type Chains } from '../chain/entries.js';
import { needsErasureEvent, erasedStreamsIn } from '../chain/erased-streams.js';
import { allChainHeads, findEntry } from '../chain/find-entry.js';
import {
  laterPosition,
  logStart,
  streamNameOf,
  type Clock,
  type EventLog,
  type Evidence,
  type Ids,
  type Position,
  type StreamName,
} from '../../kernel/ports.js';
import type { ProjectId } from '../../kernel/schema-types.js';
import { transact } from '../../kernel/transact.js';
import { erasureStream, recordErasedStreams } from '../../command-api/facts/erasures.js';
import { serviceAuthorship } from '../../command-api/work/service-authorship.js';
import { organizationOf } from './seal-streams.js';

export type EarlierErasureNeeds = {
  readonly log: EventLog;
  readonly chains: Pick<Chains, 'heads'> & ChainPages;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'derive'>;
  /** The chain that an event names; null for one from before events named theirs. */
  readonly chainOf: (event: Evidence) => ChainName | null;
};

/** Page size: some megabytes of data. */
const pageEvents = 500;
/** Throttle: rest times as long as the work, to leave the processor to requests. */
const restTimes = 4;
/** Exists once the log was scanned: from then on, data erased without a fact is a break. */
const doneStream = streamNameOf('seals', systemChain, 'erasures');

/**
 * One-time migration of erasures from before they left facts: the first service that seals a log
 * and requires facts names them in the history of their owners, and records that this was done.
 */
export const openEarlierErasures = (needs: EarlierErasureNeeds) => {
  let isDone = false;
  let unnamed: UnrecordedErasures | null = null;
  return async (signal: AbortSignal): Promise<void> => {
    isDone ||= (await needs.log.last(doneStream)) !== null;
    if (isDone) return;
    unnamed ??= await findUnrecordedErasures(needs, signal);
    // The chain of an old event is known from the history only.
    if (unnamed === null || (await chainsFoldedTo(needs.chains)) < unnamed.last) return;
    const named = await recordEarlierErasures(needs, unnamed);
    // The evidence of erased events must be stored before a scavenge removes it: some logs begin
    // with an erasure.
    if (unnamed.anyErased !== null) await needs.log.erase(unnamed.anyErased);
    const author = serviceAuthorship(needs, null, 'earlier-erasures');
    const event = { type: 'EarlierErasuresNamed', data: { streams: named } } as const;
    const decide = (is: boolean): Decision<EarlierErasureEvent> => (is ? [] : [event]);
    await transact(needs.log, doneStream, isNamedFold, decide, author);
    isDone = true;
  };
};

const isNamedFold: Fold<boolean, EarlierErasureEvent> = { initial: false, evolve: () => true };

type UnrecordedErasures = {
  /** Erased streams, each with the first of its events. */
  readonly streams: ReadonlyMap<StreamName, Evidence>;
  /** Position of the newest of these. */
  readonly last: Position;
  /** Any erased stream. */
  readonly anyErased: StreamName | null;
};

/** Finds erasures without a fact; null when stopped. */
const findUnrecordedErasures = async (
  { log, clock }: EarlierErasureNeeds,
  signal: AbortSignal,
): Promise<UnrecordedErasures | null> => {
  const streams = new Map<StreamName, Evidence>();
  const facts = new Set<string>();
  let gone: StreamName | null = null;
  for (let after = logStart; ;) {
    if (signal.aborted) return null;
    const began = clock.milliseconds();
    const page = await log.evidence(after, pageEvents);
    for (const event of page.events) {
      for (const name of event.data === null ? [] : streamsErasedBy(event.type, event.data)) {
        facts.add(name);
        streams.delete(name as StreamName);
      }
      const { stream: name } = event;
      if (event.data === null) gone = name;
      const isUnnamed = event.data === null && hadNoErasureFact(name) && !facts.has(name);
      if (isUnnamed && !streams.has(name)) streams.set(name, event);
    }
    if (page.through === after) break;
    after = page.through;
    const took = clock.milliseconds() - began;
    if (took > 0) await clock.wait(took * restTimes, signal);
  }
  const last = [...streams.values()].reduce(
    (high, { position }) => laterPosition(high, position),
    logStart,
  );
  return { streams, last, anyErased: gone };
};

/** Parses facts of erasures only, since most events are others; a tampered one names no streams. */
const streamsErasedBy = (type: string, data: string): readonly string[] => {
  try {
    return type.endsWith('Erased') ? erasedStreamsIn(type, parseJsonText(data)) : [];
  } catch {
    return [];
  }
};

/**
 * True if an erasure of this stream may lack a fact: contents of a project or its records. Rows of
 * datasets always had one.
 */
const hadNoErasureFact = (name: StreamName): boolean =>
  needsErasureEvent(name) && projectForm.test(name);

const chainsFoldedTo = async (chains: EarlierErasureNeeds['chains']): Promise<Position> => {
  let through = logStart;
  for await (const { position } of allChainHeads(chains))
    through = laterPosition(through, position);
  return through;
};

type ErasedGroup = {
  readonly chain: ChainName;
  readonly project: ProjectId;
  readonly names: StreamName[];
};

/** Records the erasures by chain and project; returns their number. */
const recordEarlierErasures = async (
  needs: EarlierErasureNeeds,
  { streams }: UnrecordedErasures,
): Promise<number> => {
  const groups = new Map<string, ErasedGroup>();
  for (const [name, event] of streams) {
    const named = needs.chainOf(event);
    const chain = named ?? (await findEntry(needs.chains, null, event))?.chain;
    const [, project = ''] = projectForm.exec(name) ?? [];
    if (chain === undefined) continue;
    const key = `${chain} ${project}`;
    const group = groups.get(key) ?? { chain, project: project as ProjectId, names: [] };
    group.names.push(name);
    groups.set(key, group);
  }
  for (const { chain, project, names } of groups.values()) {
    const of = { deleted: 'earlier', deleted_id: project, project_id: project } as const;
    const author = serviceAuthorship(needs, organizationOf(chain), `earlier-erasures-${project}`);
    await recordErasedStreams(needs.log, erasureStream(`earlier-${project}`), of, names, author);
  }
  return [...groups.values()].reduce((sum, { names }) => sum + names.length, 0);
};

const projectForm =
  /^(?:trace|session|sized-session|project|annotation-\w+|ranking-\w+|scorer-queue)-(.{36})(?:-|$)/;
