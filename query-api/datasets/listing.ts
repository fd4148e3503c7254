import type { Filter } from '../../kernel/filter.js';
import { planListing, type Listing, type PlannedListing } from '../listings.js';
import { linkedTo } from './sight.js';

/** Contract 5.11. */
const datasetColumns: Listing = {
  filters: {
    name: 'text',
    draft: 'boolean',
    id: 'id',
    used_in_project: 'uuid',
    not_in_project: 'uuid',
  },
  sorts: ['name', 'created_at', 'updated_at', 'num_rows', 'project_count'],
};

/** Filters and sort of `POST /datasets/query` over `datasetList`. */
export const planDatasets = (written: Parameters<typeof planListing>[0]): PlannedListing => {
  const planned = planListing(written, datasetColumns);
  return { ...planned, filters: planned.filters.map(overProjects) };
};

/** Both name a project that has to be, or not to be, among those that are linked. */
const overProjects = (filter: Filter): Filter => {
  if (!('column' in filter) || !('values' in filter)) return filter;
  if (filter.column !== 'used_in_project' && filter.column !== 'not_in_project') return filter;
  const linked = linkedTo(String(filter.values[0]));
  return filter.column === 'used_in_project' ? linked : { not: linked };
};
