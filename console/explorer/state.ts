import type { GridSort } from '../parts/data-grid.js';
import { readScope, writeScope, type RecordScope } from '../parts/record-scope.js';
import type { Population } from '../../kernel/records/record.js';

/** View of the explorer, as its address has it. */
export type ExplorerView = RecordScope & {
  /** Null: newest first. */
  readonly sort: GridSort | null;
  /** Ids of the columns in their order; null: the usual ones. */
  readonly columns: readonly string[] | null;
  readonly hasFacets: boolean;
  readonly hasStrip: boolean;
  /** Part of the filter of another kind that does not apply here; null: none. */
  readonly kept: KeptFilter | null;
};

/** A filter of another kind of records, whole, for the way back to it. */
type KeptFilter = {
  readonly population: Population;
  readonly filter: string;
  /** The conditions that do not apply here. */
  readonly lost: string;
};

export const explorerCodec = {
  read: (text: string): ExplorerView => {
    const view = new URLSearchParams(text);
    return {
      ...readScope(view),
      sort: readSort(view.get('sort') ?? ''),
      columns: readColumns(view.get('cols') ?? ''),
      hasFacets: view.get('facets') !== 'off',
      hasStrip: view.get('strip') !== 'off',
      kept: readKept(view),
    };
  },
  write: ({ sort, columns, hasFacets, hasStrip, kept, ...scope }: ExplorerView): string => {
    const view = new URLSearchParams();
    writeScope(view, scope);
    if (sort !== null) view.set('sort', `${sort.isAscending ? '' : '-'}${sort.column}`);
    if (columns !== null) view.set('cols', columns.map(encodeURIComponent).join(','));
    if (!hasFacets) view.set('facets', 'off');
    if (!hasStrip) view.set('strip', 'off');
    if (kept !== null) {
      view.set('was', kept.population);
      view.set('wasf', kept.filter);
      if (kept.lost !== '') view.set('lost', kept.lost);
    }
    return view.toString();
  },
};

const readSort = (text: string): GridSort | null => {
  const isAscending = !text.startsWith('-');
  const column = isAscending ? text : text.slice(1);
  return column === '' ? null : { column, isAscending };
};

const readColumns = (text: string): readonly string[] | null => {
  try {
    const names = text.split(',').filter((name) => name !== '');
    return names.length === 0 ? null : [...new Set(names.map(decodeURIComponent))];
  } catch {
    return null;
  }
};

const readKept = (view: URLSearchParams): KeptFilter | null => {
  const population = (['session', 'trace', 'span'] as const).find((one) => one === view.get('was'));
  if (population === undefined) return null;
  return { population, filter: view.get('wasf') ?? '', lost: view.get('lost') ?? '' };
};
