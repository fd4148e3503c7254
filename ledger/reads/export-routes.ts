import { parseAsOf } from '../../contract/as-of.js';
import type { RequestAuthorizer } from '../../contract/request-ports.js';
import {
  certificateComplaints,
  certifyErasure,
  exportComplaints,
  exportHistory,
  exportLinesMax,
  exportMs,
  feedComplaints,
  feedLines,
  parseFeedCursor,
  historyFeed,
  type CertificateQuery,
  type HistoryExportQuery,
} from '../../contract/history-export.js';
import { readRoute, type Route } from '../../contract/operation.js';
import { auditForbidden } from '../../contract/authorize.js';
import { mayAudit, type Principal } from '../../contract/roles.js';
import { historyResources } from '../../kernel/history-resources.js';
import { Fault } from '../../kernel/fault.js';
import type { HistoryBound } from '../chain/bounds.js';
import type { BundleHeader } from '../chain/bundle.js';
import type { ChainEntry, ChainPages, Chains } from '../chain/entries.js';
import type { ExportPage } from '../chain/bundle-export.js';
import type { Clock } from '../../kernel/ports.js';
import type { Instant, JsonObject, ProjectId } from '../../kernel/schema-types.js';
import { historyCollection } from '../collection.js';
import { primeGenerator } from '../../query-api/exports/prime-generator.js';
import type { EntryChanges, PageNeeds } from './page.js';
import { readExportCursor, writeExportCursor, type ExportCursor } from './export-cursor.js';

export type ExportQuery = {
  readonly organization: string;
  readonly project: string | null;
  readonly resource: { readonly type: string; readonly id: string } | null;
  /** Inclusive bounds; null: the first and the last entry. */
  readonly from: HistoryBound | null;
  readonly to: HistoryBound | null;
};

export type HistoryExportNeeds = {
  readonly authorizer: Pick<RequestAuthorizer, 'visibleProject'>;
  readonly chains: Pick<Chains, 'head'> & ChainPages;
  readonly clock: Pick<Clock, 'milliseconds'>;
  /** Header of the bundle; throws Fault `not-found` for a history without a seal. */
  readonly begin: (query: ExportQuery) => Promise<BundleHeader>;
  /** Lines of the bundle, from the cursor's position. */
  readonly pages: (cursor: ExportCursor) => AsyncIterable<ExportPage>;
  /** Converts an entry to the format of audit event collectors; `origin` names the history. */
  readonly toAuditEvent: (
    followed: { readonly entry: ChainEntry; readonly changes: EntryChanges },
    format: 'cloudevents' | 'ocsf',
    origin: string,
  ) => object;
  readonly changesOf: PageNeeds['changesOf'];
  /**
   * Lines of a certificate. The first one throws Fault `not-found` or `conflict` where there is
   * nothing to certify, or not yet.
   */
  readonly certificateLines: (
    query: CertificateQuery,
    organization: string,
  ) => AsyncGenerator<JsonObject>;
  /** Name of an organisation's history in seals. */
  readonly originOf: (organization: string) => Promise<string>;
};

/** Reads that export the history (contract 5.14). */
export const historyExportReads = (needs: HistoryExportNeeds): readonly Route[] => [
  exporting(needs),
  feeding(needs),
  certifying(needs),
];

/** Memory reserved while lines are sent: a page of content and the page read ahead. */
const roomBytes = 16 * 1_024 * 1_024;

const exporting = (needs: HistoryExportNeeds): Route =>
  readRoute(
    exportHistory,
    [historyCollection],
    async ({ query, principal, memory }) => {
      const exportQuery = exportQueryOf(query, principal);
      await requireAuditRight(needs, principal, query.project_id ?? null);
      await memory.reserve(roomBytes);
      if (query.cursor !== undefined) {
        const resource =
          exportQuery.resource && `${exportQuery.resource.type}:${exportQuery.resource.id}`;
        const of = {
          organization_id: exportQuery.organization,
          project_id: exportQuery.project,
          resource,
        };
        const head = await needs.chains.head(exportQuery.organization);
        return { lines: linesFrom(needs, readExportCursor(query.cursor, of, head?.size ?? 0)) };
      }
      const header = await needs.begin(exportQuery);
      return { lines: fromBeginning(needs, header) };
    },
    ({ query }) => exportComplaints(query),
  );

const exportQueryOf = (
  {
    project_id,
    resource_type: type,
    resource_id: id,
    from,
    to,
    start_time,
    end_time,
  }: HistoryExportQuery,
  { organizationId }: Principal,
): ExportQuery => ({
  organization: organizationId,
  project: project_id ?? null,
  resource: type === undefined || id === undefined ? null : { type, id },
  from: boundOf(from, start_time),
  to: boundOf(to, end_time),
});

const boundOf = (written: string | undefined, time: Instant | undefined): HistoryBound | null =>
  written === undefined ? ((time && { instant: time }) ?? null) : parseAsOf(written);

/** Requires an owner of the project, or an auditor of the organisation. */
const requireAuditRight = async (
  { authorizer }: HistoryExportNeeds,
  principal: Principal,
  project: ProjectId | null,
): Promise<void> => {
  if (mayAudit(principal, null)) return;
  if (project === null) throw auditForbidden(principal, 'audit-org');
  const seen = await authorizer.visibleProject(principal, project);
  if (seen === null) throw new Fault('not-found', 'No such project');
  if (!mayAudit(principal, seen)) throw auditForbidden(principal, 'audit-project');
};

async function* fromBeginning(
  needs: HistoryExportNeeds,
  header: BundleHeader,
): AsyncGenerator<string> {
  const cursor: ExportCursor = { ...header, at: header.from, last: 0 };
  yield lineOf({ begun: header, cursor: writeExportCursor(cursor) });
  yield* linesFrom(needs, cursor);
}

/** Lines of one page at most: entries, and the nodes between them. */
const pageLinesMax = 8_192;

async function* linesFrom(
  { pages, clock }: HistoryExportNeeds,
  cursor: ExportCursor,
): AsyncGenerator<string> {
  const until = clock.milliseconds() + exportMs;
  let count = 0;
  for await (const { nodes, lines, next } of pages(cursor)) {
    for (const node of nodes) yield lineOf(node);
    for (const line of lines) yield lineOf(line);
    count += nodes.length + lines.length;
    if (next === null) break;
    if (count <= exportLinesMax - pageLinesMax && clock.milliseconds() < until) continue;
    yield lineOf({ next_cursor: writeExportCursor({ ...cursor, ...next }) });
    return;
  }
  yield lineOf({ next_cursor: null });
}

const feeding = (needs: HistoryExportNeeds): Route =>
  readRoute(
    historyFeed,
    [historyCollection],
    async ({ query, principal, signal, memory }) => {
      const { format = 'cloudevents', records = false } = query;
      await memory.reserve(roomBytes);
      const chain = principal.organizationId;
      const origin = await needs.originOf(chain);
      const size = (await needs.chains.head(chain))?.size ?? 0;
      const { followed, next } = await feedPage(needs, chain, { query, size, records }, signal);
      const lines = followed.map((one) => lineOf(needs.toAuditEvent(one, format, origin)));
      return { lines: asyncLines([...lines, lineOf({ next_cursor: String(next) })]) };
    },
    ({ query }) => feedComplaints(query),
  );

type FeedRequest = {
  readonly query: { readonly cursor?: string };
  /** Size of the history when the request began. */
  readonly size: number;
  readonly records: boolean;
};
type FeedEntry = Parameters<HistoryExportNeeds['toAuditEvent']>[0];

/** The next entries, as many as one response may hold; `next`: where to continue. */
const feedPage = async (
  { chains, changesOf }: HistoryExportNeeds,
  chain: string,
  { query, size, records }: FeedRequest,
  signal: AbortSignal,
): Promise<{ readonly followed: readonly FeedEntry[]; readonly next: number }> => {
  const chainQuery = { ascending: true, limit: feedLines, technical: false, ...kindsOf(records) };
  for (let at: number | null = parseFeedCursor(query.cursor); at !== null && at <= size;) {
    const page = await chains.page(chain, { ...chainQuery, at }, { signal });
    const entries = page.entries.filter(({ seq }) => seq <= size);
    at = page.next;
    if (entries.length === 0) continue;
    const changes = await changesOf(entries, signal);
    const followed = changes.flatMap((change, place) => {
      const entry = entries[place];
      return entry === undefined ? [] : [{ entry, changes: change }];
    });
    const next = entries[followed.length]?.seq ?? at ?? size + 1;
    return { followed, next: Math.min(next, size + 1) };
  }
  return { followed: [], next: size + 1 };
};

const kindsOf = (records: boolean): { readonly resourceTypes?: readonly string[] } =>
  records
    ? {}
    : { resourceTypes: historyResources.filter((type) => type !== 'trace' && type !== 'session') };

async function* asyncLines(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

const certifying = ({ certificateLines }: HistoryExportNeeds): Route =>
  readRoute(
    certifyErasure,
    [historyCollection],
    async ({ query, principal, memory }) => {
      await memory.reserve(roomBytes);
      return {
        lines: await primeGenerator(linesOf(certificateLines(query, principal.organizationId))),
      };
    },
    ({ query }) => certificateComplaints(query),
  );

async function* linesOf(values: AsyncIterable<JsonObject>): AsyncGenerator<string> {
  for await (const value of values) yield lineOf(value);
}

const lineOf = (value: object): string => `${JSON.stringify(value)}\n`;
