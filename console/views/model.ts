/** Saved view of a page, as the service answers it. */
export type SavedPageView = {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly is_shared: boolean;
  readonly created_by: string;
};

/** Views by name, the caller's private ones first. */
export const orderedViews = <V extends SavedPageView>(views: readonly V[]): readonly V[] =>
  views.toSorted(
    (one, other) =>
      Number(one.is_shared) - Number(other.is_shared) || one.name.localeCompare(other.name, 'en'),
  );

/** Reasons against changes of a view by the caller (contract 5.16, rule 2). */
type ViewPermits = {
  /** Null: the caller may rename, overwrite and delete it. */
  readonly changeReason: string | null;
  /** Null: the caller may share it, or make it private. */
  readonly shareReason: string | null;
};

export const permitsOf = (
  view: Pick<SavedPageView, 'is_shared' | 'created_by'>,
  caller: { readonly id: string; readonly role: string },
): ViewPermits => {
  const editorReason = sharingReason(caller.role);
  if (!view.is_shared) return { changeReason: null, shareReason: editorReason };
  const isOwn = view.created_by === caller.id;
  return {
    changeReason: editorReason,
    shareReason: editorReason ?? (isOwn ? null : 'Only its creator can make it private'),
  };
};

/** Why the role may not share a view; null: it may. */
export const sharingReason = (role: string): string | null =>
  role === 'editor' || role === 'owner' ? null : `Needs the role editor; yours is ${role}`;
