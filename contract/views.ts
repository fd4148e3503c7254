import { Type, type Static } from 'typebox';
import { id, instant, name, namedSchema, nullish } from '../kernel/schema-types.js';
import { message } from './envelope.js';
import { operation } from './operation.js';

/** Limit of a user's views in a project: more than a menu can offer. */
export const ownViewsMax = 100;
/** Limit of a project's views: every change folds all of them. */
export const projectViewsMax = 1_000;
/** Limit of `state`: that of an address that every browser and proxy takes. */
const stateMax = 4_096;

const page = name(64);
const state = Type.String({ maxLength: stateMax });

/** Saved view of a page (contract 5.16). */
const savedView = namedSchema(
  'SavedView',
  Type.Object({
    id: id('ViewId'),
    name: Type.String(),
    page: Type.String(),
    state: Type.String(),
    is_shared: Type.Boolean(),
    created_by: id('UserId'),
    created_at: instant,
    updated_at: instant,
  }),
);
export type SavedView = Static<typeof savedView>;

const shared = { section: '5.16' } as const;
const path = '/v2/projects/{project_id}/views';

export const createView = operation({
  ...shared,
  operationId: 'createView',
  summary: 'Save a view of a page',
  description: 'Private to its creator unless `is_shared`, which takes an editor.',
  example: { name: 'refunds that failed', page: 'traces', state: 'f=status_code+%3E%3D+400' },
  method: 'POST',
  path,
  requires: 'view-write',
  body: Type.Object({
    name: name(),
    page,
    state,
    is_shared: nullish(Type.Boolean({ default: false })),
  }),
  response: savedView,
  faults: ['already-exists'],
});

export const listViews = operation({
  ...shared,
  operationId: 'listViews',
  summary: "Saved views of a project: the shared ones and the caller's own",
  description: 'Newest first, 1,000 at most.',
  method: 'GET',
  path,
  requires: 'viewer',
  query: Type.Object({ page: Type.Optional(page) }),
  response: Type.Array(savedView, { maxItems: projectViewsMax }),
});

export const getView = operation({
  ...shared,
  operationId: 'getView',
  summary: 'One saved view',
  description: 'A private view of another user is unknown.',
  method: 'GET',
  path: `${path}/{view_id}`,
  requires: 'viewer',
  response: savedView,
});

export const changeView = operation({
  ...shared,
  operationId: 'changeView',
  summary: 'Rename a saved view, overwrite or share it',
  description: 'A shared view is changed by editors; only its creator makes it private again.',
  example: { name: 'refunds that failed', is_shared: true },
  method: 'PATCH',
  path: `${path}/{view_id}`,
  requires: 'view-write',
  conditional: true,
  body: Type.Object({
    name: nullish(name()),
    state: nullish(state),
    is_shared: nullish(Type.Boolean()),
  }),
  response: savedView,
  faults: ['already-exists'],
});

export const deleteView = operation({
  ...shared,
  operationId: 'deleteView',
  summary: 'Delete a saved view',
  description: 'A shared view is deleted by editors.',
  method: 'DELETE',
  path: `${path}/{view_id}`,
  requires: 'view-write',
  conditional: true,
  response: message,
});

export const viewOperations = [createView, listViews, getView, changeView, deleteView];

/** Saved view as folded from the log; `version` counts its saves, from 1. */
export type ViewFacts = SavedView & { readonly version: number };

export const viewAnswer = (view: ViewFacts): SavedView => {
  const { version: _, ...shown } = view;
  return shown;
};

/** Entity tag of a saved view. */
export const viewTag = ({ version }: ViewFacts): string => String(version);

/** True if the user sees the view: a private one is its creator's only. */
export const isViewVisible = (
  { is_shared: isShared, created_by: creator }: Pick<ViewFacts, 'is_shared' | 'created_by'>,
  user: string,
): boolean => isShared || creator === user;
