import { defaultPageLimit } from '../../contract/envelope.js';
import type { RecordSearch } from '../../contract/record-reads.js';
import { standardColumnById } from '../../kernel/records/columns.js';
import { type Complaint, valueComplaint } from '../../kernel/fault.js';
import type { SortOrder } from '../../kernel/documents.js';
import type { SearchPlan } from '../../kernel/records/query-plans.js';
import type { Population } from '../../kernel/records/record.js';
import {
  resolveColumn,
  lookUpColumn,
  metricsWithoutType,
  type KnownTemplates,
  type KnownMetricTypes,
} from '../filters/catalogue.js';
import { missingMember } from '../filters/complaints.js';
import { columnsInFields, contentsOf, fieldComplaints } from './fields.js';
import { columnsInFilter, planFilter, type Catalogue } from '../filters/plan.js';

/** Part of a plan that follows from the request alone; the route adds project and run. */
type SearchOnly = Omit<SearchPlan, 'project' | 'run' | 'templates'>;

type PlannedSearch =
  | { readonly plan: SearchOnly; readonly complaints: readonly [] }
  | { readonly plan: null; readonly complaints: readonly Complaint[] };

/**
 * Plans a search or a count (contract 5.7), or returns complaints in the order of the request's
 * members.
 */
export const planSearch = (
  body: RecordSearch,
  population: Population,
  types: KnownMetricTypes,
  templates: KnownTemplates = null,
): PlannedSearch => {
  const catalogue = { population, types, templates };
  const { filter, complaints: filterComplaints } = planFilter(body, catalogue);
  const sort = planSort(body.sort ?? null, catalogue);
  const complaints = [
    ...filterComplaints,
    ...sort.complaints,
    ...fieldComplaints(body.fields, population),
  ];
  if (complaints.length > 0) return { plan: null, complaints };
  return {
    plan: {
      population,
      kinds: null,
      from: body.start_time ?? null,
      to: body.end_time ?? null,
      filter,
      sort: sort.sort,
      offset: body.starting_token ?? 0,
      limit: body.limit ?? defaultPageLimit,
      ...(body.fields != null && { contents: contentsOf(body.fields) }),
    },
    complaints: [],
  };
};

/** Metrics of the request whose types have to be loaded from the project. */
export const metricsInSearch = (body: RecordSearch, population: Population): readonly string[] => {
  const { plan } = planSearch(body, population, null);
  if (plan === null) return [];
  return metricsWithoutType([...columnsInSearch(plan), ...columnsInFields(body.fields)]);
};

/** Columns that a search filters and sorts by. */
export const columnsInSearch = ({ filter, sort }: Pick<SearchOnly, 'filter' | 'sort'>) => [
  ...columnsInFilter(filter),
  ...(sort === null ? [] : [sort.column]),
];

type WrittenSort = NonNullable<RecordSearch['sort']>;

/** Validates the sort (contract 3.8). Its column is resolved as in filters. */
const planSort = (
  written: WrittenSort | null,
  { population, types, templates = null }: Catalogue,
): { readonly sort: SortOrder | null; readonly complaints: readonly Complaint[] } => {
  if (written === null) return { sort: null, complaints: [] };
  const loc = ['body', 'sort'];
  const refused = (complaint: Complaint) => ({ sort: null, complaints: [complaint] });
  const { column_id: columnId, name } = written;
  const column = columnId ?? name;
  if (column === undefined) return refused(missingMember([...loc, 'column_id']));
  if (columnId !== undefined && name !== undefined && columnId !== name) {
    return refused(valueComplaint(loc, 'name and column_id name different columns'));
  }
  const place = [...loc, columnId === undefined ? 'name' : 'column_id'];
  const meant = resolveColumn(column, types, templates);
  const known = lookUpColumn(meant, population, types, templates);
  if (known === null) return refused(valueComplaint(place, `unknown column '${column}'`));
  if ('applies' in known && !known.applies) {
    return refused(valueComplaint(place, `column '${column}' does not apply to ${population}s`));
  }
  const isList = known.is === 'annotation' && known.type === 'string_list';
  if (isList || standardColumnById.get(column)?.type === 'string_list') {
    return refused(valueComplaint(place, `column '${column}' cannot be sorted by`));
  }
  return { sort: { column: meant, ascending: written.ascending ?? true }, complaints: [] };
};
