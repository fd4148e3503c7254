import { parseJsonText } from '../../kernel/json-text.js';
import type { EarlierErasureEvent } from '../../events/erasures.js';
import type { Decision, Fold } from '../../kernel/decision.js';
import {
  systemChain,
  type ChainName,
  type ChainPages,
  type Chains,
} from '../../kernel/history/entries.js';
import { mustBeNamed, namesIn } from '../../kernel/history/erasure-names.js';
import { headsOf, placedIn } from '../../kernel/history/placed.js';
import {
  later,
  start,
  stream,
  type Clock,
  type EventLog,
  type Evidence,
  type Ids,
  type Position,
  type StreamName,
} from '../../kernel/ports.js';
import type { ProjectId } from '../../kernel/shapes.js';
import { transact } from '../../kernel/transact.js';
import { erasureStream, nameStreams } from '../facts/erasures.js';
import { byItself } from '../work/service-author.js';
import { organizationOf } from './sealed.js';

export type EarlierNeeds = {
  readonly log: EventLog;
  readonly chains: Pick<Chains, 'heads'> & ChainPages;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'derive'>;
  /** Whose history an event says it belongs to; null for one from before events did. */
  readonly chainOf: (event: Evidence) => ChainName | null;
};

/** Some megabytes of data at once. */
const pageEvents = 500;
/** The processor belongs to requests. */
const restTimes = 4;
/** There once the log was looked through: what is gone without a fact from then on is a break. */
const doneStream = stream('seals', systemChain, 'erasures');

/**
 * What went with a project or its records before erasures left facts: the first time that a log is
 * sealed by a service that asks for facts, they are named in the history of whom they were, and it
 * is written down that this was done. It is never done again.
 */
export const openEarlier = (needs: EarlierNeeds) => {
  let isDone = false;
  let unnamed: Unnamed | null = null;
  return async (signal: AbortSignal): Promise<void> => {
    isDone ||= (await needs.log.last(doneStream)) !== null;
    if (isDone) return;
    unnamed ??= await lookedThrough(needs, signal);
    // Which history an old event is in, only the history knows.
    if (unnamed === null || (await foldedTo(needs.chains)) < unnamed.last) return;
    const named = await nameAll(needs, unnamed);
    // What stays of them must be kept before a scavenge takes it: some logs begin with an erasure.
    if (unnamed.gone !== null) await needs.log.erase(unnamed.gone);
    const author = byItself(needs, null, 'earlier-erasures');
    const event = { type: 'EarlierErasuresNamed', data: { streams: named } } as const;
    const decide = (is: boolean): Decision<EarlierErasureEvent> => (is ? [] : [event]);
    await transact(needs.log, doneStream, isThere, decide, author);
    isDone = true;
  };
};

const isThere: Fold<boolean, EarlierErasureEvent> = { initial: false, evolve: () => true };

type Unnamed = {
  /** Each with the first of its events. */
  readonly streams: ReadonlyMap<StreamName, Evidence>;
  /** Position of the newest of these. */
  readonly last: Position;
  /** Any stream that is erased. */
  readonly gone: StreamName | null;
};

/** Null when it was told to stop. */
const lookedThrough = async (
  { log, clock }: EarlierNeeds,
  signal: AbortSignal,
): Promise<Unnamed | null> => {
  const streams = new Map<StreamName, Evidence>();
  const facts = new Set<string>();
  let gone: StreamName | null = null;
  for (let after = start; ;) {
    if (signal.aborted) return null;
    const began = clock.milliseconds();
    const page = await log.evidence(after, pageEvents);
    for (const event of page.events) {
      for (const name of event.data === null ? [] : namedBy(event.type, event.data)) {
        facts.add(name);
        streams.delete(name as StreamName);
      }
      const { stream: name } = event;
      if (event.data === null) gone = name;
      const isUnnamed = event.data === null && leftNoFacts(name) && !facts.has(name);
      if (isUnnamed && !streams.has(name)) streams.set(name, event);
    }
    if (page.through === after) break;
    after = page.through;
    const took = clock.milliseconds() - began;
    if (took > 0) await clock.wait(took * restTimes, signal);
  }
  const last = [...streams.values()].reduce((high, { position }) => later(high, position), start);
  return { streams, last, gone };
};

/** Only facts have to be read, and most events are none; one that was changed names nothing. */
const namedBy = (type: string, data: string): readonly string[] => {
  try {
    return type.endsWith('Erased') ? namesIn(type, parseJsonText(data)) : [];
  } catch {
    return [];
  }
};

/** What went with a project or its records; rows of datasets have always been named. */
const leftNoFacts = (name: StreamName): boolean => mustBeNamed(name) && projectForm.test(name);

const foldedTo = async (chains: EarlierNeeds['chains']): Promise<Position> => {
  let through = start;
  for await (const { position } of headsOf(chains)) through = later(through, position);
  return through;
};

type Group = {
  readonly chain: ChainName;
  readonly project: ProjectId;
  readonly names: StreamName[];
};

/** Answers how many. */
const nameAll = async (needs: EarlierNeeds, { streams }: Unnamed): Promise<number> => {
  const groups = new Map<string, Group>();
  for (const [name, event] of streams) {
    const said = needs.chainOf(event);
    const chain = said ?? (await placedIn(needs.chains, null, event))?.chain;
    const [, project = ''] = projectForm.exec(name) ?? [];
    if (chain === undefined) continue;
    const key = `${chain} ${project}`;
    const group = groups.get(key) ?? { chain, project: project as ProjectId, names: [] };
    group.names.push(name);
    groups.set(key, group);
  }
  for (const { chain, project, names } of groups.values()) {
    const of = { deleted: 'earlier', deleted_id: project, project_id: project } as const;
    const author = byItself(needs, organizationOf(chain), `earlier-erasures-${project}`);
    await nameStreams(needs.log, erasureStream(`earlier-${project}`), of, names, author);
  }
  return [...groups.values()].reduce((sum, { names }) => sum + names.length, 0);
};

const projectForm =
  /^(?:trace|session|sized-session|project|annotation-\w+|ranking-\w+|scorer-queue)-(.{36})(?:-|$)/;
