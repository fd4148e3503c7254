import type { Gate } from '../../contract/gate.js';
import { provenByIdMs, type HistoryProof, type ProofAsked } from '../../contract/history-seals.js';
import { mayNotAudit } from '../../contract/authorize.js';
import { mayAudit, type Principal } from '../../contract/roles.js';
import { Fault, valueError } from '../../kernel/fault.js';
import type { ChainEntry, ChainPages, Chains } from '../../kernel/history/entries.js';
import { shownCause, shownEvent, shownHashes } from '../../kernel/history/shown.js';
import { inclusionProofText } from '../../kernel/history/proof-text.js';
import { inclusionSpans } from '../../kernel/history/tree.js';
import type { Clock, Evidence, Sha256 } from '../../kernel/ports.js';
import type { OrganizationId, ProjectId } from '../../kernel/shapes.js';
import type { ListedSeal } from '../../projections/seal-list.js';
import { openSpans } from './subtrees.js';

export type ProofNeeds = {
  readonly chains: Chains & ChainPages;
  readonly clock: Pick<Clock, 'milliseconds'>;
  readonly sha256: Sha256;
  readonly gate: Pick<Gate, 'projectInSight'>;
  /**
   * What the digest of the entry was made of, from the log: salt and data null where nobody may see
   * them. Null when the log has another event there.
   */
  readonly evidenceOf: (
    entry: ChainEntry,
  ) => Promise<Pick<Evidence, 'salt' | 'data'> & { readonly erased: boolean }>;
};

/**
 * An entry with what its digest was made of, and its place in the sealed tree. Throws Fault
 * `not-found` for one that is not in it or that the caller may not know of.
 */
export const proofOf = async (
  needs: ProofNeeds,
  principal: Principal,
  asked: ProofAsked,
  { size, note }: ListedSeal,
  signal: AbortSignal,
): Promise<HistoryProof> => {
  const { chains } = needs;
  const chain = principal.organizationId;
  const entry =
    asked.seq === undefined
      ? await entryOf(needs, chain, asked.event_id ?? '', size, signal)
      : (await chains.entries(chain, asked.seq, asked.seq)).find(({ seq }) => seq <= size);
  if (entry === undefined) throw unseen();
  await demandSight(needs, principal, entry);
  const index = entry.seq - 1;
  const spans = inclusionSpans(index, { from: 0, to: size });
  const hashes = await Promise.all(spans.map(openSpans(needs, chain)));
  const { salt, data, erased } = await needs.evidenceOf(entry);
  const proof = inclusionProofText(index, hashes, note);
  return { entry: { ...shownEntry(entry), erased }, salt, data, proof };
};

const unseen = (): Fault => new Fault('not-found', 'Entry not found in the sealed history');

/**
 * Neither a log nor a history finds an event by its id, so the chain is looked through, the newest
 * first. Throws Fault `invalid` for one so old that the time is up before.
 */
const entryOf = async (
  { chains, clock }: ProofNeeds,
  chain: string,
  eventId: string,
  size: number,
  signal: AbortSignal,
): Promise<ChainEntry | undefined> => {
  const until = clock.milliseconds() + provenByIdMs;
  const question = { ascending: false, limit: 1, technical: true, eventIds: [eventId] };
  for (let at: number | null = size; at !== null;) {
    if (clock.milliseconds() > until) {
      const why = `it is none of the newest ${size - at} sealed entries: name an older one by seq`;
      throw valueError(['query', 'event_id'], why);
    }
    const page = await chains.page(chain, { ...question, at }, { signal });
    if (page.entries[0] !== undefined) return page.entries[0];
    at = page.next;
  }
  return undefined;
};

/** As the history of the entry's resource: its project's owners, or whoever audits all of it. */
const demandSight = async (
  { gate }: ProofNeeds,
  principal: Principal,
  { projectId }: ChainEntry,
): Promise<void> => {
  if (mayAudit(principal, null)) return;
  const project =
    projectId === null ? null : await gate.projectInSight(principal, projectId as ProjectId);
  if (project === null) throw unseen();
  if (!mayAudit(principal, project)) throw mayNotAudit(principal, 'audit-project');
};

const shownEntry = (entry: ChainEntry): Omit<HistoryProof['entry'], 'erased'> => ({
  ...shownEvent(entry),
  actor: entry.actor as HistoryProof['entry']['actor'],
  resource: entry.resource as HistoryProof['entry']['resource'],
  project_id: entry.projectId as ProjectId | null,
  organization_id: entry.organizationId as OrganizationId | null,
  ...shownCause(entry),
  ...shownHashes(entry),
});
