import {
  getLogStream,
  logStreamAnswer,
  logStreamLists,
  notCounted,
  type LogStreamCounts,
  type LogStreamFacts,
} from '../../contract/log-streams.js';
import { readRoute, type Route } from '../../contract/operation.js';
import type { Documents } from '../../kernel/documents.js';
import type { RecordQueries } from '../../kernel/records/record-queries.js';
import { logStreamList } from '../../projections/log-stream-list.js';
import { recordsCollection } from '../../projections/records/collection.js';
import { userList } from '../../projections/user-list.js';
import { namedResourceColumns, planListing } from '../listings.js';
import { runListReads, type RunListViewer } from '../run-lists.js';
import { readUserBlocks } from '../user-blocks.js';

type LogStreamReadNeeds = {
  readonly documents: Documents;
  readonly records: Pick<RecordQueries, 'runCounts'>;
};

/** Reads of log streams (contract 5.5). */
export const logStreamReads = (needs: LogStreamReadNeeds): readonly Route[] => [
  lists.listing(needs),
  lists.paging(needs),
  searching(needs),
  showing(needs),
];

const searching = (needs: LogStreamReadNeeds): Route =>
  readRoute(
    logStreamLists.search,
    counted,
    async ({ params, body, principal }) => {
      const { filters, sort } = planListing(body, namedResourceColumns);
      const viewer = { principal, project: params.project_id };
      return { body: await lists.page(needs, viewer, { ...body, filters, sort }) };
    },
    ({ body }) => planListing(body, namedResourceColumns).complaints,
  );

const showing = (needs: LogStreamReadNeeds): Route =>
  readRoute(getLogStream, reads, async ({ params, principal }) => {
    const { project_id: project, log_stream_id: id } = params;
    return { body: await lists.find(needs, { principal, project, isCounted: false }, id) };
  });

/**
 * Responses in the order of the facts; counts cost a query to the records and are read only on
 * request.
 */
const rowsOf = async (
  { documents, records }: LogStreamReadNeeds,
  facts: readonly LogStreamFacts[],
  { principal, project, isCounted }: RunListViewer,
) => {
  const people = await readUserBlocks(
    documents,
    principal.organizationId,
    facts.map((one) => one.created_by),
  );
  const runs = facts.map(({ id }) => id);
  const counts = isCounted && runs.length > 0 ? await records.runCounts(project, runs) : new Map();
  const countsOf = (run: string): LogStreamCounts => {
    if (!isCounted) return notCounted;
    const { spans, traces, sessions } = counts.get(run) ?? { spans: 0, traces: 0, sessions: 0 };
    return { num_spans: spans, num_traces: traces, has_user_created_sessions: sessions > 0 };
  };
  return facts.map((one) =>
    logStreamAnswer(one, people.get(one.created_by) ?? null, countsOf(one.id)),
  );
};

const reads = [logStreamList.collection, userList.collection];
const counted = [...reads, recordsCollection];
const lists = runListReads({
  operations: logStreamLists,
  called: 'Log stream',
  projection: logStreamList,
  reads: counted,
  rowsOf,
});
