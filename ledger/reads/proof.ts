import type { RequestAuthorizer } from '../../contract/request-ports.js';
import { provenByIdMs, type HistoryProof, type ProofQuery } from '../../contract/history-seals.js';
import { auditForbidden } from '../../contract/authorize.js';
import { mayAudit, type Principal } from '../../contract/roles.js';
import { Fault, valueFault } from '../../kernel/fault.js';
import type { ChainEntry, ChainPages, Chains } from '../chain/entries.js';
import { causeView, eventView, hashesView } from '../chain/entry-view.js';
import { inclusionProofText } from '../chain/proof-text.js';
import { inclusionRanges } from '../chain/merkle-tree.js';
import type { Clock, Evidence, Sha256 } from '../../kernel/ports.js';
import type { OrganizationId, ProjectId } from '../../kernel/schema-types.js';
import type { ListedSeal } from '../../projections/seal-list.js';
import { openSpanHashes } from './subtrees.js';

export type ProofNeeds = {
  readonly chains: Chains & ChainPages;
  readonly clock: Pick<Clock, 'milliseconds'>;
  readonly sha256: Sha256;
  readonly authorizer: Pick<RequestAuthorizer, 'visibleProject'>;
  /**
   * Preimage of the entry's digest, from the log: salt and data, null where they are erased or
   * secret. Throws Fault `unavailable` where the log has another event.
   */
  readonly evidenceOf: (
    entry: ChainEntry,
  ) => Promise<Pick<Evidence, 'salt' | 'data'> & { readonly erased: boolean }>;
};

/**
 * Inclusion proof of an entry in the sealed tree, with the preimage of its digest. Throws Fault
 * `not-found` for an entry that is not in it or that the caller may not see.
 */
export const entryProof = async (
  needs: ProofNeeds,
  principal: Principal,
  query: ProofQuery,
  { size, note }: ListedSeal,
  signal: AbortSignal,
): Promise<HistoryProof> => {
  const { chains } = needs;
  const chain = principal.organizationId;
  const entry =
    query.seq === undefined
      ? await entryOf(needs, chain, query.event_id ?? '', size, signal)
      : (await chains.entries(chain, query.seq, query.seq)).find(({ seq }) => seq <= size);
  if (entry === undefined) throw entryNotFound();
  await requireAuditRight(needs, principal, entry);
  const index = entry.seq - 1;
  const ranges = inclusionRanges(index, { from: 0, to: size });
  const hashes = await Promise.all(ranges.map(openSpanHashes(needs, chain)));
  const { salt, data, erased } = await needs.evidenceOf(entry);
  const proof = inclusionProofText(index, hashes, note);
  return { entry: { ...shownEntry(entry), erased }, salt, data, proof };
};

const entryNotFound = (): Fault => new Fault('not-found', 'Entry not found in the sealed history');

/**
 * Scans the chain for an event id, newest first: neither log nor history has an index by id. Throws
 * Fault `invalid` for an event too old to find within the time limit.
 */
const entryOf = async (
  { chains, clock }: ProofNeeds,
  chain: string,
  eventId: string,
  size: number,
  signal: AbortSignal,
): Promise<ChainEntry | undefined> => {
  const until = clock.milliseconds() + provenByIdMs;
  const chainQuery = { ascending: false, limit: 1, technical: true, eventIds: [eventId] };
  for (let at: number | null = size; at !== null;) {
    if (clock.milliseconds() > until) {
      const why = `not among the newest ${size - at} sealed entries: look an older one up by seq`;
      throw valueFault(['query', 'event_id'], why);
    }
    const page = await chains.page(chain, { ...chainQuery, at }, { signal });
    if (page.entries[0] !== undefined) return page.entries[0];
    at = page.next;
  }
  return undefined;
};

/**
 * Same right as for the history of the entry's resource: an owner of its project, or an auditor of
 * the organisation.
 */
const requireAuditRight = async (
  { authorizer }: ProofNeeds,
  principal: Principal,
  { projectId }: ChainEntry,
): Promise<void> => {
  if (mayAudit(principal, null)) return;
  const project =
    projectId === null ? null : await authorizer.visibleProject(principal, projectId as ProjectId);
  if (project === null) throw entryNotFound();
  if (!mayAudit(principal, project)) throw auditForbidden(principal, 'audit-project');
};

const shownEntry = (entry: ChainEntry): Omit<HistoryProof['entry'], 'erased'> => ({
  ...eventView(entry),
  actor: entry.actor as HistoryProof['entry']['actor'],
  resource: entry.resource as HistoryProof['entry']['resource'],
  project_id: entry.projectId as ProjectId | null,
  organization_id: entry.organizationId as OrganizationId | null,
  ...causeView(entry),
  ...hashesView(entry),
});
