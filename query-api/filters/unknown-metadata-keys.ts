import { allTracesScope } from '../../kernel/records/query-plans.js';
import type { Population } from '../../kernel/records/record.js';
import type { RecordQueries } from '../../kernel/records/record-queries.js';

/** Finds the user metadata keys among these column ids that no record of the project has. */
export type FindUnknownKeys = (
  project: string,
  population: Population,
  columns: readonly string[],
) => Promise<readonly string[]>;

const prefix = 'user_metadata/';
const populations = ['trace', 'span', 'session'] as const;
/** Cache limit, some hundred bytes per key. An evicted key is looked up again. */
const knownMax = 10_000;

/**
 * Looks a key up with one search for one record, first in `population`, and caches existing keys
 * (contract 3.7, rule 4).
 */
export const openUnknownKeyFinder = (records: Pick<RecordQueries, 'search'>): FindUnknownKeys => {
  const known = new Set<string>();
  const isThere = async (project: string, population: Population, column: string) => {
    const filter = { not: isNull(column) };
    const plan = {
      ...allTracesScope(project),
      population,
      filter,
      sort: null,
      offset: 0,
      limit: 1,
      contents: [],
    };
    return (await records.search(plan)).rows.length > 0;
  };
  const isKnown = async (project: string, first: Population, column: string) => {
    const key = `${project} ${column}`;
    if (known.has(key)) return true;
    for (const population of new Set([first, ...populations])) {
      if (!(await isThere(project, population, column))) continue;
      const [oldest] = known;
      if (known.size >= knownMax && oldest !== undefined) known.delete(oldest);
      known.add(key);
      return true;
    }
    return false;
  };
  return async (project, population, columns) => {
    const keys = [...new Set(columns)].filter((column) => column.startsWith(prefix));
    const unknown: string[] = [];
    for (const key of keys) if (!(await isKnown(project, population, key))) unknown.push(key);
    return unknown;
  };
};

const isNull = (column: string) =>
  ({ kind: 'text', column, operator: 'is_null', values: [], caseSensitive: true }) as const;
