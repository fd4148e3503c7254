import type {
  HistorySealed,
  HistorySealEvent,
  HistorySealWitnessed,
  InstallationEvent,
  SealingKeyEvent,
} from '../../events/seals.js';
import type { Decision, Fold } from '../../kernel/decision.js';
import { withCosignature, type SealingKey } from '../chain/checkpoint.js';
import { systemChain, type ChainName, type ChainPages } from '../chain/entries.js';
import {
  streamNameOf,
  type Clock,
  type EventLog,
  type EventReader,
  type Position,
  type StoredEvent,
  type StreamName,
} from '../../kernel/ports.js';
import type { Instant, OrganizationId } from '../../kernel/schema-types.js';
import { transact, type Authorship } from '../../kernel/transact.js';

/** A seal; its note includes the lines of its cosigners. */
export type ChainSeal = HistorySealed & {
  readonly stream: StreamName;
  /** Time of the seal's event. */
  readonly sealedAt: Instant;
  readonly sealPosition: Position;
  /** Names of the cosigners. */
  readonly witnesses: readonly string[];
};

/** True for streams of seals, whose events do not make a seal due. */
export const isSealStream = (name: string): boolean => name.startsWith('seals-');

/**
 * Stream of seals for the UTC day of `now`, or that of the seal before if later: keeps streams in
 * the order of seals after the clock was set back.
 */
export const sealStream = (
  chain: ChainName,
  now: string,
  before: Pick<ChainSeal, 'stream'> | null = null,
): StreamName => {
  const today = streamNameOf('seals', chain, now.slice(0, 10));
  return before !== null && before.stream > today ? before.stream : today;
};

/** The organisation of a chain; null for the system chain. */
export const organizationOf = (chain: ChainName): OrganizationId | null =>
  chain === systemChain ? null : (chain as OrganizationId);

type SealedNeeds = {
  readonly log: Pick<EventReader, 'read'>;
  readonly chains: ChainPages;
  readonly clock: Pick<Clock, 'now'>;
};

/**
 * The newest seal of a chain; null before the first. Reads the streams of today and yesterday from
 * the log, since the history may lack the last ones. For older and later ones (of a clock that was
 * ahead) the history says the day, since listing stream names is a full scan on some engines. If
 * the history is incomplete, an older seal is continued, and the scrub from there on finds the
 * missing entries. Throws TypeError or SyntaxError for a tampered seal.
 */
export const newestSeal = async (
  { log, chains, clock }: SealedNeeds,
  chain: ChainName,
): Promise<ChainSeal | null> => {
  const now = Date.parse(clock.now());
  const days = [now, now - dayMs].map((day) => sealStream(chain, new Date(day).toISOString()));
  let newest: ChainSeal | null = null;
  for (const name of new Set([...days, await newestSealDay(chains, chain)])) {
    if (name === null || (newest !== null && newest.stream > name)) continue;
    newest = (await newestOn(log, name)) ?? newest;
  }
  return newest;
};

const dayMs = 86_400_000;

const newestSealDay = async (chains: ChainPages, chain: ChainName): Promise<StreamName | null> => {
  const question = { ascending: false, limit: 1, technical: true, types: ['HistorySealed'] };
  for (let at: number | null = null; ;) {
    const { entries, next } = await chains.page(chain, { ...question, at });
    const [entry] = entries;
    if (entry !== undefined) return entry.stream as StreamName;
    if (next === null) return null;
    at = next;
  }
};

const newestOn = async (
  log: Pick<EventReader, 'read'>,
  name: StreamName,
): Promise<ChainSeal | null> => (await sealsOn(log, name)).at(-1) ?? null;

/** The seals of one day of a chain, oldest first. */
export const sealsOn = async (
  log: Pick<EventReader, 'read'>,
  name: StreamName,
): Promise<readonly ChainSeal[]> => {
  const events = (await log.read(name)) as readonly StoredEvent<HistorySealEvent>[];
  const seals = new Map<number, ChainSeal>();
  for (const { type, data, metadata, position } of events) {
    if (!Number.isSafeInteger(data.size)) throw new TypeError('a seal has no size');
    if (type === 'HistorySealed') {
      const seal = { ...data, stream: name, sealedAt: metadata.at, sealPosition: position };
      seals.set(data.size, { ...seal, witnesses: [] });
      continue;
    }
    const seal = seals.get(data.size);
    if (seal === undefined) continue;
    const note = withCosignature(seal.note, data.witness, data.signature);
    seals.set(data.size, { ...seal, note, witnesses: [...seal.witnesses, data.witness] });
  }
  return [...seals.values()];
};

/** State of one day's seals of a chain, for decisions. */
type SealedDay = {
  /** Size of the newest seal; 0: none. */
  readonly size: number;
  /** Cosignatures as `<size> <witness>`. */
  readonly witnessed: ReadonlySet<string>;
};
export const sealedDay: Fold<SealedDay, HistorySealEvent> = {
  initial: { size: 0, witnessed: new Set() },
  evolve: (day, { type, data }) =>
    type === 'HistorySealed'
      ? { ...day, size: data.size }
      : { ...day, witnessed: new Set([...day.witnessed, witnessKey(data)]) },
};
const witnessKey = ({ size, witness }: HistorySealWitnessed): string => `${size} ${witness}`;

/** Records a seal; no event when another worker sealed as much meanwhile. */
export const recordSeal =
  (sealed: HistorySealed) =>
  (day: SealedDay): Decision<HistorySealEvent> =>
    day.size >= sealed.size ? [] : [{ type: 'HistorySealed', data: sealed }];

export const recordCosignature =
  (witnessed: HistorySealWitnessed) =>
  (day: SealedDay): Decision<HistorySealEvent> =>
    day.witnessed.has(witnessKey(witnessed))
      ? []
      : [{ type: 'HistorySealWitnessed', data: witnessed }];

const keysStream = streamNameOf('seals', systemChain, 'keys');
const publishedKeys: Fold<ReadonlySet<string>, SealingKeyEvent> = {
  initial: new Set(),
  evolve: (known, { data }) => new Set([...known, data.kid]),
};

/** Publishes keys: each is in the log before its first signature. */
export const publishKeys = async (
  log: EventLog,
  installation: string,
  keys: readonly SealingKey[],
  authorship: Authorship,
): Promise<void> => {
  await transact(
    log,
    keysStream,
    publishedKeys,
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

const installationStream = streamNameOf('seals', systemChain, 'installation');
const installationName: Fold<string | null, InstallationEvent> = {
  initial: null,
  evolve: (known, { data }) => known ?? data.installation_id,
};

/** Default name of the installation, derived once and then stable. */
export const derivedInstallationName = async (
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
