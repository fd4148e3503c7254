import { readRoute, type Route } from '../../contract/operation.js';
import {
  getView,
  isViewVisible,
  listViews,
  projectViewsMax,
  viewAnswer,
  viewTag,
  type ViewFacts,
} from '../../contract/views.js';
import type { Documents } from '../../kernel/documents.js';
import { Fault } from '../../kernel/fault.js';
import type { Filter } from '../../kernel/filter.js';
import { viewList } from '../../projections/view-list.js';

type ViewReadNeeds = { readonly documents: Documents };

/** Reads of saved views (contract 5.16). */
export const viewReads = (needs: ViewReadNeeds): readonly Route[] => [
  listing(needs),
  showing(needs),
];

const { collection } = viewList;

const listing = ({ documents }: ViewReadNeeds): Route =>
  readRoute(listViews, [collection], async ({ params, query, principal }) => {
    const visible = visibleTo(principal.userId);
    const found = await documents.find<ViewFacts>(collection, {
      scope: params.project_id,
      filter: query.page === undefined ? visible : { all: [visible, ofPage(query.page)] },
      limit: projectViewsMax,
    });
    return { body: found.documents.map(({ body }) => viewAnswer(body)) };
  });

const showing = ({ documents }: ViewReadNeeds): Route =>
  readRoute(getView, [collection], async ({ params, principal }) => {
    const found = await documents.get<ViewFacts>(collection, params.view_id);
    if (found?.scope !== params.project_id || !isViewVisible(found.body, principal.userId)) {
      throw new Fault('not-found', 'View not found');
    }
    return { body: viewAnswer(found.body), etag: viewTag(found.body) };
  });

/** `isViewVisible` as a filter. */
const visibleTo = (user: string): Filter => ({
  any: [
    { kind: 'boolean', column: 'is_shared', operator: 'eq', value: true },
    { kind: 'id', column: 'created_by', operator: 'eq', values: [user], caseSensitive: true },
  ],
});

const ofPage = (page: string): Filter => ({
  kind: 'text',
  column: 'page',
  operator: 'eq',
  values: [page],
  caseSensitive: true,
});
