import type {
  HistorySealed,
  HistorySealEvent,
  HistorySealWitnessed,
  InstallationEvent,
  SealingKeyEvent,
} from '../../events/seals.js';
import type { Decision, Fold } from '../../kernel/decision.js';
import type { SealingKey } from '../../kernel/history/checkpoint.js';
import { systemChain, type ChainName } from '../../kernel/history/entries.js';
import {
  stream,
  type EventLog,
  type EventReader,
  type Position,
  type Recorded,
  type StreamName,
} from '../../kernel/ports.js';
import type { Instant, OrganizationId } from '../../kernel/shapes.js';
import { transact, type Authorship } from '../../kernel/transact.js';
import { streamNames } from '../work/stream-names.js';

/** A seal as the log has it. */
export type ChainSeal = HistorySealed & {
  readonly stream: StreamName;
  /** Of the event that it is. */
  readonly sealedAt: Instant;
  readonly sealPosition: Position;
  /** Names of those who cosigned it. */
  readonly witnesses: readonly string[];
};

/** Where everything of seals lies. An event there makes no seal due. */
const sealsPrefix = 'seals-';
export const isOfSeals = (name: string): boolean => name.startsWith(sealsPrefix);

/** Days are those of UTC. */
export const sealStream = (chain: ChainName, now: Instant): StreamName =>
  stream('seals', chain, now.slice(0, 10));
const isDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text);

/** To whose history the seals of a chain belong. */
export const organizationOf = (chain: ChainName): OrganizationId | null =>
  chain === systemChain ? null : (chain as OrganizationId);

/** The newest seal of a chain; null before the first. */
export const newestSeal = async (log: EventReader, chain: ChainName): Promise<ChainSeal | null> => {
  const prefix = `${sealsPrefix}${chain}-`;
  let newest: StreamName | null = null;
  for await (const name of streamNames(log, prefix)) {
    if (isDay(name.slice(prefix.length))) newest = name;
  }
  if (newest === null) return null;
  const events = (await log.read(newest)) as readonly Recorded<HistorySealEvent>[];
  const seal = events.findLast(({ type }) => type === 'HistorySealed') as
    Recorded<Extract<HistorySealEvent, { readonly type: 'HistorySealed' }>> | undefined;
  if (seal === undefined) return null;
  const witnesses = events.flatMap(({ type, data }) =>
    type === 'HistorySealWitnessed' && data.size === seal.data.size ? [data.witness] : [],
  );
  return {
    ...seal.data,
    stream: newest,
    sealedAt: seal.metadata.at,
    sealPosition: seal.position,
    witnesses,
  };
};

/** The seals of one day of a chain. */
export type SealedDay = {
  /** Of the newest seal; 0: none. */
  readonly size: number;
  /** `<size> <witness>` of each cosignature. */
  readonly witnessed: ReadonlySet<string>;
};
export const sealedDay: Fold<SealedDay, HistorySealEvent> = {
  initial: { size: 0, witnessed: new Set() },
  evolve: (day, { type, data }) =>
    type === 'HistorySealed'
      ? { ...day, size: data.size }
      : { ...day, witnessed: new Set([...day.witnessed, witnessing(data)]) },
};
const witnessing = ({ size, witness }: HistorySealWitnessed): string => `${size} ${witness}`;

/** Nothing when somebody else sealed as much meanwhile. */
export const seal =
  (sealed: HistorySealed) =>
  (day: SealedDay): Decision<HistorySealEvent> =>
    day.size >= sealed.size ? [] : [{ type: 'HistorySealed', data: sealed }];

export const witness =
  (witnessed: HistorySealWitnessed) =>
  (day: SealedDay): Decision<HistorySealEvent> =>
    day.witnessed.has(witnessing(witnessed))
      ? []
      : [{ type: 'HistorySealWitnessed', data: witnessed }];

const keysStream = stream('seals', systemChain, 'keys');
const keysKnown: Fold<ReadonlySet<string>, SealingKeyEvent> = {
  initial: new Set(),
  evolve: (known, { data }) => new Set([...known, data.kid]),
};

/** Each key is in the log before what it signed. */
export const publishKeys = async (
  log: EventLog,
  installation: string,
  keys: readonly SealingKey[],
  authorship: Authorship,
): Promise<void> => {
  await transact(
    log,
    keysStream,
    keysKnown,
    (known): Decision<SealingKeyEvent> =>
      keys
        .filter(({ kid }) => !known.has(kid))
        .map(({ kid, jwk, vkey }) => ({
          type: 'SealingKeyPublished',
          data: { kid, jwk, vkey: vkey(installation) },
        })),
    authorship,
  );
};

const installationStream = stream('seals', systemChain, 'installation');
const installationName: Fold<string | null, InstallationEvent> = {
  initial: null,
  evolve: (known, { data }) => known ?? data.installation_id,
};

/** What the installation is called that was given no name: the same one from the first time on. */
export const ownName = async (
  log: EventLog,
  id: () => string,
  authorship: Authorship,
): Promise<string> => {
  const { state } = await transact(
    log,
    installationStream,
    installationName,
    (known): Decision<InstallationEvent> =>
      known === null ? [{ type: 'InstallationNamed', data: { installation_id: id() } }] : [],
    authorship,
  );
  return `assay.local/${state ?? ''}`;
};
