import { columnNamesMax, type ColumnNameKind } from '../../kernel/records/column-names.js';

/** Numbers that stand in `facets` for a project's columns, by ids such as `metrics/reward`. */
export type ColumnNumbers = ReadonlyMap<string, number>;

/** `counts` counts places, also those of names that were forgotten since. */
export type ProjectColumns = {
  readonly numbers: ColumnNumbers;
  readonly counts: Readonly<Record<ColumnNameKind, number>>;
};

/** Columns of the projects that were asked about last, by the project's number. */
export type ColumnCache = {
  get(project: number): ProjectColumns | null;
  set(project: number, named: ProjectColumns): void;
  delete(project: number): void;
};

/** Names in memory, of all projects together: some 30 MB when all of them are as long as may be. */
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
