import { useEffect, useMemo } from 'preact/hooks';
import { useUnsaved } from '../client/unsaved.js';
import {
  changeTotal,
  countChanges,
  foldDraft,
  type DatasetChange,
  type DatasetDraft,
} from './changes.js';

type DraftBase = Pick<DatasetDraft, 'version' | 'columns' | 'rows'>;

/** The changes of this tab to a dataset that are not saved; without any, `base` as it is. */
export const useDraft = (id: string, base: DraftBase) => {
  const [stored, keep] = useUnsaved<DatasetDraft>(`dataset ${id}`);
  const isOver = stored?.isSaved === true && base.version > stored.version;
  const kept = isOver ? null : stored;
  useEffect(() => {
    if (isOver) keep(null);
  }, [isOver]);
  const draft = kept ?? { ...base, steps: [] };
  const folded = useMemo(() => foldDraft(draft), [kept, base.version]);
  const counts = useMemo(() => countChanges(folded), [folded]);
  const write = (next: DatasetDraft | null): void => {
    const isEmpty = next === null || changeTotal(countChanges(foldDraft(next))) === 0;
    keep(isEmpty ? null : next);
  };
  return {
    draft,
    folded,
    counts,
    hasChanges: kept !== null,
    /** Adds a step; nothing for one without changes. */
    apply: (step: readonly DatasetChange[]): void => {
      if (step.length > 0) write({ ...draft, steps: [...draft.steps, step] });
    },
    undo: (): void => write({ ...draft, steps: draft.steps.slice(0, -1) }),
    /** Null: without changes. */
    replace: write,
  };
};

export type DraftEditing = ReturnType<typeof useDraft>;
