import {
  getLogStream,
  listLogStreams,
  logStreamAnswer,
  notCounted,
  pageLogStreams,
  searchLogStreams,
  type LogStreamCounts,
  type LogStreamFacts,
} from '../../contract/log-streams.js';
import { moreRowsHeader, plainListMax } from '../../contract/envelope.js';
import { readRoute, type Route } from '../../contract/operation.js';
import type { Principal } from '../../contract/roles.js';
import { Fault } from '../../kernel/fault.js';
import type { Documents } from '../../kernel/documents.js';
import type { RecordQueries } from '../../kernel/records/record-queries.js';
import type { ProjectId } from '../../kernel/schema-types.js';
import { logStreamList } from '../../projections/log-stream-list.js';
import { recordsCollection } from '../../projections/records/collection.js';
import { userList } from '../../projections/user-list.js';
import {
  namedResourceColumns,
  readListingPage,
  planListing,
  type ListingRequest,
} from '../listings.js';
import { readUserBlocks } from '../user-blocks.js';

type LogStreamReadNeeds = {
  readonly documents: Documents;
  readonly records: Pick<RecordQueries, 'runCounts'>;
};
type LogStreamViewer = { readonly principal: Principal; readonly project: ProjectId };

/** Reads of log streams (contract 5.5). */
export const logStreamReads = (needs: LogStreamReadNeeds): readonly Route[] => [
  listing(needs),
  paging(needs),
  searching(needs),
  showing(needs),
];

const { collection } = logStreamList;
const reads = [collection, userList.collection];
const counted = [...reads, recordsCollection];

const listing = (needs: LogStreamReadNeeds): Route =>
  readRoute(listLogStreams, counted, async ({ params, query, principal }) => {
    const project = params.project_id;
    const { documents: found, more } = await needs.documents.find<LogStreamFacts>(collection, {
      scope: project,
      limit: plainListMax,
    });
    const facts = found.map(({ body }) => body);
    const body = await answers(needs, facts, { principal, project }, query.include_counts);
    return { body, notes: moreRowsHeader(more) };
  });

const paging = (needs: LogStreamReadNeeds): Route =>
  readRoute(pageLogStreams, counted, async ({ params, query, principal }) => ({
    body: await logStreamsPage(needs, principal, params.project_id, query),
  }));

const searching = (needs: LogStreamReadNeeds): Route =>
  readRoute(
    searchLogStreams,
    counted,
    async ({ params, body, principal }) => {
      const { filters, sort } = planListing(body, namedResourceColumns);
      const request = { ...body, filters, sort };
      return { body: await logStreamsPage(needs, principal, params.project_id, request) };
    },
    ({ body }) => planListing(body, namedResourceColumns).complaints,
  );

const logStreamsPage = async (
  needs: LogStreamReadNeeds,
  principal: Principal,
  project: ProjectId,
  request: ListingRequest & { readonly include_counts?: boolean | null },
) => {
  const page = await readListingPage<LogStreamFacts>(needs.documents, collection, project, request);
  const facts = page.rows.map(({ body }) => body);
  const log_streams = await answers(needs, facts, { principal, project }, request.include_counts);
  return { ...page.measure, log_streams };
};

const showing = (needs: LogStreamReadNeeds): Route =>
  readRoute(getLogStream, reads, async ({ params, principal }) => {
    const { project_id: project, log_stream_id: id } = params;
    const found = await needs.documents.get<LogStreamFacts>(collection, id);
    if (found === null || found.scope !== project) {
      throw new Fault('not-found', 'Log stream not found');
    }
    const [shown] = await answers(needs, [found.body], { principal, project }, false);
    if (shown === undefined) throw new Fault('not-found', 'Log stream not found');
    return { body: shown };
  });

/**
 * Responses in the order of the facts; counts cost a query to the records and are read only on
 * request.
 */
const answers = async (
  { documents, records }: LogStreamReadNeeds,
  facts: readonly LogStreamFacts[],
  { principal, project }: LogStreamViewer,
  isCounted: boolean | null | undefined,
) => {
  const people = await readUserBlocks(
    documents,
    principal.organizationId,
    facts.map((one) => one.created_by),
  );
  const runs = facts.map(({ id }) => id);
  const counts =
    isCounted === true && runs.length > 0 ? await records.runCounts(project, runs) : new Map();
  const countsOf = (run: string): LogStreamCounts => {
    if (isCounted !== true) return notCounted;
    const { spans, traces, sessions } = counts.get(run) ?? { spans: 0, traces: 0, sessions: 0 };
    return { num_spans: spans, num_traces: traces, has_user_created_sessions: sessions > 0 };
  };
  return facts.map((one) =>
    logStreamAnswer(one, people.get(one.created_by) ?? null, countsOf(one.id)),
  );
};
