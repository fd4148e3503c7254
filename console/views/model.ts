import type { Project } from '../../clients/typescript/src/generated/projects-types.js';
import {
  keyLimitReason,
  permitUnless,
  projectPermit,
  unknownPermit,
  type Caller,
  type Permit,
} from '../parts/permits.js';

/** Saved view of a page, as the service answers it. */
export type SavedPageView = {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly is_shared: boolean;
  readonly created_by: string;
  readonly updated_at: string;
};

/** Views by name, the caller's private ones first. */
export const orderedViews = <V extends SavedPageView>(views: readonly V[]): readonly V[] =>
  views.toSorted(
    (one, other) =>
      Number(one.is_shared) - Number(other.is_shared) || one.name.localeCompare(other.name, 'en'),
  );

type Where = {
  readonly caller: (Caller & { readonly id: string }) | undefined;
  readonly project: Pick<Project, 'role'> | undefined;
};

/** Whether the caller may save views of their own in the project (contract 5.16, rule 2). */
export const savingPermit = ({ caller, project }: Where): Permit<'view-write'> => {
  if (caller === undefined || project === undefined) return unknownPermit('view-write');
  const limit = caller.credential.project_role;
  if (caller.role === 'auditor' && project.role === 'viewer') {
    return permitUnless('view-write', 'Auditors read, and save no views');
  }
  const isLimited = limit === 'viewer' || limit === 'annotator';
  return permitUnless('view-write', isLimited ? keyLimitReason(limit) : null);
};

/** Whether the caller may share a view with the project, and change shared ones. */
export const sharingPermit = (where: Where): Permit<'view-write'> => {
  const saving = savingPermit(where);
  if (!saving.isAllowed) return saving;
  return permitUnless('view-write', projectPermit(where.project, 'editor').reason);
};

/** Permits of a saved view: to rename, overwrite and delete it, and to share it or end that. */
export const viewPermits = (
  view: Pick<SavedPageView, 'is_shared' | 'created_by'>,
  where: Where,
): Readonly<Record<'change' | 'share', Permit<'view-write'>>> => {
  const sharing = sharingPermit(where);
  if (!view.is_shared) return { change: savingPermit(where), share: sharing };
  const isOwn = view.created_by === where.caller?.id;
  const notOwn = permitUnless('view-write', 'Only its creator can make it private');
  return { change: sharing, share: sharing.isAllowed && !isOwn ? notOwn : sharing };
};
