import { columnNamesMax, type ColumnNameKind } from '../../kernel/records/column-names.js';

/** Numbers of a project's columns in `facets`, by ids such as `metrics/reward`. */
export type ColumnNumbers = ReadonlyMap<string, number>;

/** Columns of a project. `counts` includes the slots of forgotten names. */
export type ProjectColumns = {
  readonly numbers: ColumnNumbers;
  readonly counts: Readonly<Record<ColumnNameKind, number>>;
};

/** LRU cache of project columns, by the project's number. */
export type ColumnCache = {
  get(project: number): ProjectColumns | null;
  set(project: number, named: ProjectColumns): void;
  delete(project: number): void;
};

/** Names in memory, over all projects: some 30 MB at the longest possible names. */
const rememberedMax = 100 * columnNamesMax;

export const openColumnCache = (max = rememberedMax): ColumnCache => {
  const known = new Map<number, ProjectColumns>();
  let size = 0;
  // A project without names takes memory too.
  const sizeOf = ({ numbers }: ProjectColumns): number => numbers.size + 1;
  const remove = (project: number): void => {
    const named = known.get(project);
    if (named === undefined) return;
    known.delete(project);
    size -= sizeOf(named);
  };
  const set = (project: number, named: ProjectColumns): void => {
    remove(project);
    known.set(project, named);
    size += sizeOf(named);
    for (const oldest of known.keys()) {
      if (size <= max || oldest === project) return;
      remove(oldest);
    }
  };
  return {
    get: (project) => {
      const named = known.get(project);
      if (named === undefined) return null;
      set(project, named);
      return named;
    },
    set,
    delete: remove,
  };
};
