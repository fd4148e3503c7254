import { isRoleAtLeast, projectRoles, type ProjectRole } from '../../contract/roles.js';
import {
  isViewVisible,
  ownViewsMax,
  projectViewsMax,
  viewTag,
  type ViewFacts,
} from '../../contract/views.js';
import type { ViewEvent, ViewSaved } from '../../events/views.js';
import { reject, type Decide, type Rejection } from '../../kernel/decision.js';
import { isIfMatchMet, type IfMatch } from '../../kernel/if-match.js';
import type { Instant, ProjectId, UserId, ViewId } from '../../kernel/schema-types.js';
import type { SavedViews } from '../facts/views.js';

type DecideViews = Decide<SavedViews, ViewEvent>;

/** Caller with the role in the project, which decides on shared views. */
export type ViewCaller = { readonly userId: UserId; readonly role: ProjectRole };

export const create =
  (saved: ViewSaved, { role }: Pick<ViewCaller, 'role'>): DecideViews =>
  (views) => {
    if (views.some(({ id }) => id === saved.view_id)) return [];
    if (saved.is_shared && !isEditor(role)) return needsEditor(role);
    if (views.some((view) => hasSameName(view, saved))) return nameTaken(saved);
    const own = views.filter(({ created_by: creator }) => creator === saved.created_by);
    if (own.length >= ownViewsMax) {
      return reject(
        'conflict',
        `A user has at most ${ownViewsMax} saved views in a project. Delete one of yours first`,
      );
    }
    if (views.length >= projectViewsMax) {
      return reject('conflict', `A project has at most ${projectViewsMax} saved views`);
    }
    return [{ type: 'ViewSaved', data: saved }];
  };

type ViewTarget = {
  readonly project: ProjectId;
  readonly id: ViewId;
  readonly caller: ViewCaller;
  readonly ifMatch: IfMatch | null;
};
type ViewChange = {
  /** Null or absent: the member stays as it is (contract 5). */
  readonly changes: {
    readonly name?: string | null;
    readonly state?: string | null;
    readonly is_shared?: boolean | null;
  };
  readonly at: Instant;
};

export const change =
  ({ changes, at, ...target }: ViewTarget & ViewChange): DecideViews =>
  (views) => {
    const { project, id, caller } = target;
    const known = visibleView(views, id, caller.userId);
    if (known === null) return viewNotFound();
    const next = {
      ...known,
      name: changes.name ?? known.name,
      state: changes.state ?? known.state,
      is_shared: changes.is_shared ?? known.is_shared,
    };
    const refusal = refusalOf(known, next.is_shared, target);
    if (refusal !== null) return refusal;
    if (isUnchanged(known, next)) return [];
    if (views.some((view) => view.id !== id && hasSameName(view, next))) return nameTaken(next);
    const { id: view_id, updated_at: _, version, ...facts } = next;
    const saved = { project_id: project, view_id, version: version + 1, ...facts, saved_at: at };
    return [{ type: 'ViewSaved', data: saved }];
  };

/** Idempotent: a deleted view, or one that the caller does not see, stays as it is. */
export const remove =
  (target: ViewTarget): DecideViews =>
  (views) => {
    const { project, id, caller } = target;
    const known = visibleView(views, id, caller.userId);
    if (known === null) return [];
    const refusal = refusalOf(known, known.is_shared, target);
    if (refusal !== null) return refusal;
    return [{ type: 'ViewDeleted', data: { project_id: project, view_id: id } }];
  };

/** The view with that id; null: unknown to the user (contract 5.16, rule 1). */
export const visibleView = (views: SavedViews, id: ViewId, user: UserId): ViewFacts | null =>
  views.find((view) => view.id === id && isViewVisible(view, user)) ?? null;

export const viewNotFound = (): Rejection => reject('not-found', 'View not found');

/** Refusal by the caller's rights (contract 5.16, rule 2) or by `If-Match`. */
const refusalOf = (
  known: ViewFacts,
  willBeShared: boolean,
  { caller, ifMatch }: ViewTarget,
): Rejection | null => {
  if ((known.is_shared || willBeShared) && !isEditor(caller.role)) return needsEditor(caller.role);
  if (known.is_shared && !willBeShared && known.created_by !== caller.userId) {
    return reject('forbidden', 'Only the creator of a shared view can make it private');
  }
  return isIfMatchMet(ifMatch, viewTag(known))
    ? null
    : reject('precondition-failed', 'The view was changed meanwhile');
};

const isEditor = (role: ProjectRole): boolean =>
  isRoleAtLeast<ProjectRole>(projectRoles, role, 'editor');

const needsEditor = (role: ProjectRole): Rejection =>
  reject('forbidden', `A shared view needs the role editor in the project; yours is ${role}`);

type NamedView = Pick<ViewFacts, 'name' | 'page' | 'is_shared' | 'created_by'>;

/** True for two views of which one page would offer the same name to a user (5.16, rule 3). */
const hasSameName = (one: NamedView, other: NamedView): boolean =>
  one.name === other.name &&
  one.page === other.page &&
  one.is_shared === other.is_shared &&
  (one.is_shared || one.created_by === other.created_by);

const isUnchanged = (known: ViewFacts, next: ViewFacts): boolean =>
  known.name === next.name && known.state === next.state && known.is_shared === next.is_shared;

const nameTaken = ({ name, is_shared: isShared }: NamedView): Rejection =>
  reject(
    'already-exists',
    `A ${isShared ? 'shared' : 'private'} view of this page is named '${name}' already`,
  );
