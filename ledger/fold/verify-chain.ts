import { parseJsonText } from '../../kernel/json-text.js';
import type { HistoryVerdict, VerifyReason } from '../../contract/history.js';
import type { HistorySealed } from '../../events/seals.js';
import { genesisHash } from '../chain/chain.js';
import type { ChainEntry, ChainName, Chains } from '../chain/entries.js';
import { checkEntry } from '../chain/entry-check.js';
import { sealContradiction } from './seal-check.js';
import {
  logStart,
  type EventReader,
  type Evidence,
  type Position,
  type Sha256,
} from '../../kernel/ports.js';
import { declaredChain } from './chain-membership.js';

export type VerifyChainNeeds = {
  readonly log: Pick<EventReader, 'evidence'>;
  readonly chains: Chains;
  readonly sha256: Sha256;
  /** Reason for which the content of the event may be erased; null: no erasure covers it. */
  readonly whyErased: (event: Evidence) => Promise<'erased' | 'unnamed' | null>;
  /** Called after each event, which may be 1 MiB, to yield to other work; false ends the call. */
  readonly mayContinue: (events: number) => Promise<boolean>;
};

type BrokenEntry = NonNullable<HistoryVerdict['broken_at']>;
/** Progress of a verification: `next` is the first unchecked entry, null at the end. */
export type ChainVerification = {
  readonly checked: number;
  readonly erased: number;
  readonly next: number | null;
  readonly broken: BrokenEntry | null;
};

/** Events per page: some megabytes of data at once. */
const pageEvents = 500;
const pageEntries = 512;

/**
 * Verifies the entries `from` to `to` against the log, both ways: recomputes each entry's line and
 * digest from its event, and requires an entry for each event of the chain. Ends at the first
 * mismatch, and where `mayContinue` returns false, but only after at least one entry.
 */
export const verifyChain = async (
  needs: VerifyChainNeeds,
  chain: ChainName,
  from: number,
  to: number,
): Promise<ChainVerification> => {
  const before =
    from === 1 ? null : ((await needs.chains.entries(chain, from - 1, from - 1))[0] ?? null);
  const verification = openVerification(needs, chain, { from, to, before });
  let after = before?.position ?? logStart;
  let events = 0;
  for (;;) {
    const page = await needs.log.evidence(after, pageEvents);
    if (page.through === after) return verification.atEnd();
    for (const event of page.events) {
      const done = await verification.take(event);
      if (done !== null) return done;
      events += 1;
      if (!(await needs.mayContinue(events)) && verification.hasMoved())
        return verification.soFar();
    }
    after = page.through;
  }
};

type Range = { readonly from: number; readonly to: number; readonly before: ChainEntry | null };

const openVerification = (
  needs: VerifyChainNeeds,
  chain: ChainName,
  { from, to, before }: Range,
) => {
  const { chains } = needs;
  let seq = from;
  let prev = before?.hash ?? genesisHash;
  let place: Position = before?.position ?? logStart;
  let erased = 0;
  let entries: readonly ChainEntry[] = [];
  const at = (broken: BrokenEntry | null): ChainVerification => ({
    checked: seq - from,
    erased,
    next: broken === null && seq <= to ? seq : null,
    broken,
  });
  const breaks = (
    reason: VerifyReason,
    expected: string | null,
    found: string | null,
  ): ChainVerification => at({ seq, reason, expected, found });
  /** The next entry, once its position and its link to the entry before are verified. */
  const nextEntry = async (): Promise<ChainEntry | ChainVerification> => {
    const first = entries[0]?.seq ?? 0;
    if (seq < first || seq >= first + entries.length) {
      entries = await chains.entries(chain, seq, Math.min(to, seq + pageEntries - 1));
    }
    const entry = entries[seq - (entries[0]?.seq ?? seq)];
    if (entry?.seq !== seq) return breaks('missing', String(seq), null);
    if (entry.position <= place) return breaks('order', place, entry.position);
    if (entry.prevHash !== prev) return breaks('entry', prev, entry.prevHash);
    return entry;
  };
  const check = async (entry: ChainEntry, event: Evidence): Promise<ChainVerification | null> => {
    const wrong = await findMismatch(needs, chain, prev, entry, event);
    if (wrong !== null) return breaks(...wrong);
    if (event.data === null) erased += 1;
    [prev, place, seq] = [entry.hash, entry.position, seq + 1];
    return null;
  };
  return {
    hasMoved: () => seq > from,
    soFar: () => at(null),
    /** End of the log: remaining entries have no event. */
    atEnd: async (): Promise<ChainVerification> => {
      if (seq > to) return at(null);
      const entry = await nextEntry();
      return 'checked' in entry ? entry : breaks('missing', entry.eventId, null);
    },
    /** Null: continue. */
    take: async (event: Evidence): Promise<ChainVerification | null> => {
      if (seq > to) return at(null);
      const entry = await nextEntry();
      if ('checked' in entry) return entry;
      if (event.position === entry.position) {
        const broken = await check(entry, event);
        return broken ?? (seq > to ? at(null) : null);
      }
      if (event.id === entry.eventId) return breaks('moved', entry.position, event.position);
      if (event.position > entry.position) return breaks('missing', entry.eventId, null);
      // An event that does not state its chain could only be attributed by its entry.
      return declaredChain(event) === chain ? breaks('extra', null, event.id) : null;
    },
  };
};

type Mismatch = readonly [reason: VerifyReason, expected: string | null, found: string | null];

/** First mismatch between an entry with a verified position and its event; null if they agree. */
const findMismatch = async (
  needs: VerifyChainNeeds,
  chain: ChainName,
  prev: string,
  entry: ChainEntry,
  event: Evidence,
): Promise<Mismatch | null> => {
  const found = checkEntry(
    needs.sha256,
    { chain, seq: entry.seq, prevHash: prev, entry, claimedChain: declaredChain(event) },
    event,
  );
  if ('wrong' in found) {
    return [found.wrong === 'data' ? 'data' : 'entry', found.expected, found.found];
  }
  if (event.data === null) {
    const why = await needs.whyErased(event);
    if (why === null) return ['data', entry.dataDigest, null];
    return why === 'unnamed' ? ['erased', entry.stream, null] : null;
  }
  const wrong = await mismatchedSealRoot(needs, chain, entry, event.data);
  return wrong === null ? null : ['seal', wrong, null];
};

/**
 * Root of a seal that contradicts the chain; null when it agrees, or when the entry is another
 * event.
 */
const mismatchedSealRoot = async (
  { chains, sha256 }: VerifyChainNeeds,
  chain: ChainName,
  { type, seq }: ChainEntry,
  data: string,
): Promise<string | null> => {
  if (type !== 'HistorySealed') return null;
  const sealed = parseJsonText(data) as HistorySealed;
  if (sealed.chain !== chain) return null;
  const isWrong = sealed.size >= seq || (await sealContradiction(chains, sha256, sealed)) !== null;
  return isWrong ? sealed.root : null;
};
