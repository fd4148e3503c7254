import type { Filter } from '../../kernel/filter.js';
import { planListing, type ListingColumns, type PlannedListing } from '../listings.js';
import { linkedToProject } from './dataset-visibility.js';

/** Columns of the dataset listing (contract 5.11). */
const datasetColumns: ListingColumns = {
  filters: {
    name: 'text',
    draft: 'boolean',
    id: 'id',
    used_in_project: 'uuid',
    not_in_project: 'uuid',
  },
  sorts: ['name', 'created_at', 'updated_at', 'num_rows', 'project_count'],
};

/**
 * Validates filters and sort of `POST /datasets/query`; `toDatasetFilters` turns them into filters
 * over `datasetList`.
 */
export const planDatasets = (written: Parameters<typeof planListing>[0]): PlannedListing =>
  planListing(written, datasetColumns);

/** Projects named in filters. */
export const projectsInFilters = (filters: readonly Filter[]): readonly string[] =>
  filters.flatMap((filter) => projectInFilter(filter) ?? []);

/**
 * Turns filters that name a project into tests of the dataset's links. A deleted or invisible
 * project matches no link.
 */
export const toDatasetFilters = (
  filters: readonly Filter[],
  visibleProjects: ReadonlySet<string>,
): readonly Filter[] =>
  filters.map((filter) => {
    const project = projectInFilter(filter);
    if (project === null) return filter;
    const linked = visibleProjects.has(project) ? linkedToProject(project) : matchesNothing;
    return 'column' in filter && filter.column === 'not_in_project' ? { not: linked } : linked;
  });

const matchesNothing: Filter = { any: [] };

const projectInFilter = (filter: Filter): string | null =>
  'column' in filter &&
  'values' in filter &&
  (filter.column === 'used_in_project' || filter.column === 'not_in_project')
    ? String(filter.values[0])
    : null;
