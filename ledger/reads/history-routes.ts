import type { AsOf } from '../../contract/as-of.js';
import { parseAsOf } from '../../contract/as-of.js';
import type { RequestAuthorizer } from '../../contract/request-ports.js';
import {
  listHistory,
  listProjectHistory,
  listResourceHistory,
  rangeComplaints,
  resourceComplaints,
  verifyHistory,
  type HistoryVerdict,
  type HistoryQuery,
} from '../../contract/history.js';
import { readRoute, type Route } from '../../contract/operation.js';
import { auditForbidden } from '../../contract/authorize.js';
import { mayAudit, type Principal } from '../../contract/roles.js';
import { windowComplaints } from '../../contract/selectors.js';
import { Fault } from '../../kernel/fault.js';
import type { ChainEntry } from '../chain/entries.js';
import type { StreamName } from '../../kernel/ports.js';
import type { JsonObject, ProjectId } from '../../kernel/schema-types.js';
import { historyCollection } from '../collection.js';
import { historyPage, type PageNeeds } from './page.js';

/** Identifies a resource for a state query; `stream` is that of its first entry. */
type StateQuery = {
  readonly type: string;
  readonly id: string;
  readonly projectId: string | null;
  readonly stream: StreamName;
};

export type HistoryReadNeeds = PageNeeds & {
  readonly authorizer: Pick<RequestAuthorizer, 'visibleProject'>;
  /**
   * State of the resource after its events up to `at`, with its texts masked; null where it did not
   * exist. Throws Fault `invalid` for a position after the head.
   */
  readonly stateAt: (
    organization: string,
    resource: StateQuery,
    at: AsOf,
  ) => Promise<JsonObject | null>;
  /**
   * Verifies a range of the chain. Throws Fault `unavailable` while other calls use the whole
   * capacity.
   */
  readonly verdictOn: (
    chain: string,
    range: { readonly from: number; readonly to: number | null },
    signal: AbortSignal,
  ) => Promise<HistoryVerdict>;
};

/** Reads of history entries (contract 5.14). */
export const historyReads = (needs: HistoryReadNeeds): readonly Route[] => [
  listingForProject(needs),
  listingForOrganization(needs),
  verifying(needs),
  listingForResource(needs),
];

const reads = [historyCollection];

const listingForProject = (needs: HistoryReadNeeds): Route =>
  readRoute(
    listProjectHistory,
    reads,
    async ({ params, query, principal, signal }) => {
      const scoped = { ...query, project_id: [params.project_id] };
      return { body: await historyPage(needs, principal.organizationId, scoped, signal) };
    },
    ({ query }) => queryWindowComplaints(query),
  );

const listingForOrganization = (needs: HistoryReadNeeds): Route =>
  readRoute(
    listHistory,
    reads,
    async ({ query, principal, signal }) => ({
      body: await historyPage(needs, principal.organizationId, query, signal),
    }),
    ({ query }) => queryWindowComplaints(query),
  );

const listingForResource = (needs: HistoryReadNeeds): Route =>
  readRoute(
    listResourceHistory,
    reads,
    async ({ params, query, principal, signal }) => {
      const { at, project_id: project, ...paging } = query;
      const resource = { resource_type: [params.resource], resource_id: [params.id] };
      const named = project === undefined ? {} : { project_id: [project] };
      const found = await readFirstEntry(needs, principal, { ...resource, ...named }, signal);
      const within = await readableScope(needs, principal, found);
      const scoped = { order: 'asc', ...paging, ...resource, ...named, ...within } as const;
      const page = await historyPage(needs, principal.organizationId, scoped, signal);
      const asOf = at === undefined ? null : parseAsOf(at);
      if (asOf === null) return { body: page };
      const { type, id } = found.resource;
      const stream = found.stream as StreamName;
      const subject = { type, id, projectId: found.projectId, stream };
      return {
        body: { ...page, state: await needs.stateAt(principal.organizationId, subject, asOf) },
      };
    },
    ({ params, query }) => resourceComplaints(params.resource, query),
  );

const verifying = (needs: HistoryReadNeeds): Route =>
  readRoute(
    verifyHistory,
    reads,
    async ({ query, principal, signal }) => {
      const { from_seq: from = 1, to_seq: to = null } = query;
      return { body: await needs.verdictOn(principal.organizationId, { from, to }, signal) };
    },
    ({ query }) => rangeComplaints(query),
  );

/** The first entry about the resource. Throws Fault `not-found` if it has none. */
const readFirstEntry = async (
  { chains }: HistoryReadNeeds,
  { organizationId: chain }: Principal,
  filter: {
    readonly resource_type: readonly string[];
    readonly resource_id: readonly string[];
    readonly project_id?: readonly string[];
  },
  signal: AbortSignal,
): Promise<ChainEntry> => {
  for (let at: number | null = 1; at !== null;) {
    const chainQuery = {
      at,
      ascending: true,
      limit: 1,
      technical: false,
      resourceTypes: filter.resource_type,
      resourceIds: filter.resource_id,
      ...(filter.project_id !== undefined && { projects: filter.project_id }),
    };
    const { entries, next } = await chains.page(chain, chainQuery, { signal });
    if (entries[0] !== undefined) return entries[0];
    at = next;
  }
  throw resourceNotFound();
};

/**
 * Scope of the resource's history that the caller may read: all of it, or the part in one of their
 * projects. Throws Fault `not-found` where its existence must stay hidden, otherwise `forbidden`.
 */
const readableScope = async (
  { authorizer }: HistoryReadNeeds,
  principal: Principal,
  { projectId }: ChainEntry,
): Promise<Pick<HistoryQuery, 'project_id'>> => {
  if (mayAudit(principal, null)) return {};
  const project =
    projectId === null ? null : await authorizer.visibleProject(principal, projectId as ProjectId);
  if (project === null || projectId === null) throw resourceNotFound();
  if (!mayAudit(principal, project)) throw auditForbidden(principal, 'audit-project');
  return { project_id: [project.id] };
};

const resourceNotFound = (): Fault => new Fault('not-found', 'Resource not found');

const queryWindowComplaints = (query: Parameters<typeof windowComplaints>[0]) =>
  windowComplaints(query).map((one) => ({ ...one, loc: ['query', 'end_time'] }));
