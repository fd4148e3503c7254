import { moreRowsHeader, plainListMax } from '../contract/envelope.js';
import { readRoute, type Route } from '../contract/operation.js';
import type { Principal } from '../contract/roles.js';
import type { RunLists } from '../contract/run-lists.js';
import type { Collection, Documents } from '../kernel/documents.js';
import { Fault } from '../kernel/fault.js';
import type { ProjectId, RunId, Static, TSchema } from '../kernel/schema-types.js';
import type { DocumentProjection } from '../projections/states/state.js';
import { readListingPage, type ListingRequest } from './listings.js';

type RunViewer = { readonly principal: Principal; readonly project: ProjectId };
/** Caller, project, and whether the records of its runs are counted. */
export type RunListViewer = RunViewer & { readonly isCounted: boolean };
type WithCounts = { readonly include_counts?: boolean | null };

/** Reads of the runs of one kind, from the read model that lists them (contract 4.6, 5.5). */
export const runListReads = <
  List extends string,
  R extends TSchema,
  Facts,
  Needs extends { readonly documents: Documents },
>(noun: {
  readonly operations: RunLists<List, R>;
  /** Name of a run in refusals. */
  readonly called: string;
  readonly projection: DocumentProjection<Facts>;
  /** Read models behind the rows. */
  readonly reads: readonly Collection[];
  /** Rows in the order of the facts. */
  readonly rowsOf: (
    needs: Needs,
    facts: readonly Facts[],
    viewer: RunListViewer,
  ) => Promise<Static<R>[]>;
}) => {
  const { operations, called, reads, rowsOf } = noun;
  const { collection } = noun.projection;
  const page = async (needs: Needs, viewer: RunViewer, request: ListingRequest & WithCounts) => {
    const { documents } = needs;
    const found = await readListingPage<Facts>(documents, collection, viewer.project, request);
    const facts = found.rows.map(({ body }) => body);
    const isCounted = request.include_counts === true;
    const rows = await rowsOf(needs, facts, { ...viewer, isCounted });
    const list = { [operations.member]: rows } as { readonly [K in List]: Static<R>[] };
    return { ...found.measure, ...list };
  };
  const listing = (needs: Needs): Route =>
    readRoute(operations.list, reads, async ({ params, query, principal }) => {
      const project = params.project_id;
      const options = { scope: project, limit: plainListMax };
      const { documents, more } = await needs.documents.find<Facts>(collection, options);
      const facts = documents.map(({ body }) => body);
      const isCounted = query.include_counts === true;
      const body = await rowsOf(needs, facts, { principal, project, isCounted });
      return { body, notes: moreRowsHeader(more) };
    });
  const paging = (needs: Needs): Route =>
    readRoute(operations.page, reads, async ({ params, query, principal }) => ({
      body: await page(needs, { principal, project: params.project_id }, query),
    }));
  return {
    listing,
    paging,
    /** Body of a page, also that of a search. */
    page,
    /** The run, if the project has it. Throws Fault `not-found`. */
    find: async (needs: Needs, viewer: RunListViewer, id: RunId): Promise<Static<R>> => {
      const found = await needs.documents.get<Facts>(collection, id);
      const facts = found?.scope === viewer.project ? [found.body] : [];
      const [row] = await rowsOf(needs, facts, viewer);
      if (row === undefined) throw new Fault('not-found', `${called} not found`);
      return row;
    },
  };
};
