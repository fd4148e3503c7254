import { useMemo, useState } from 'preact/hooks';
import type { FilterContext } from '../language/catalogue.js';
import type { RecordedValue } from '../language/complete-filter.js';
import type { WantedValues } from '../parts/filter-field.js';
import type { Population } from '../../kernel/records/record.js';
import { useSurroundings } from './context.js';
import { useCaller, useQuery } from './queries.js';
import type { Operations } from './operations.js';

/** Plural of a kind of records: its name in addresses, keys of queries and operations. */
export const kindOf = { session: 'sessions', trace: 'traces', span: 'spans' } as const;

/** Columns change when something new is recorded, which is seldom. */
const columnsFreshMs = 60_000;
const recentMs = 30 * 86_400_000;
const wantedValuesMax = 50;

/** Catalogue of columns of the records, and of those below them, for the filter language. */
export const useFilterContext = (projectId: string, population: Population): FilterContext => {
  const { service } = useSurroundings();
  const isPerson = service.session.state.value === 'person';
  const user = useCaller();
  const session = useColumns(projectId, 'session', population === 'session');
  const trace = useColumns(projectId, 'trace', population !== 'span');
  const span = useColumns(projectId, 'span', true);
  const me = isPerson ? (user.value?.id ?? null) : null;
  return useMemo(
    () => ({
      population,
      me,
      columns: {
        ...(session !== undefined && { session }),
        ...(trace !== undefined && { trace }),
        ...(span !== undefined && { span }),
      },
    }),
    [population, me, session, trace, span],
  );
};

/** The query for the columns of a kind of records in a project. */
export const useColumnsQuery = (projectId: string, population: Population, isWanted: boolean) => {
  const kind = kindOf[population];
  return useQuery({
    key: [kind, 'columns', projectId],
    ask: (operations, signal) => operations[kind].columns({ project_id: projectId }, { signal }),
    freshMs: columnsFreshMs,
    isEnabled: isWanted,
  });
};

/** Columns of a kind of records in a project; undefined until they came. */
export const useColumns = (projectId: string, population: Population, isWanted: boolean) =>
  useColumnsQuery(projectId, population, isWanted).value?.columns;

/** Recorded values of the column that a completion wants, with counts over the last 30 days. */
export const useWantedValues = (projectId: string) => {
  const { service } = useSurroundings();
  const [wanted, setWanted] = useState<WantedValues | null>(null);
  const { value } = useQuery({
    key: ['metrics', 'values', projectId, wanted],
    ask: (operations, signal) =>
      valuesOfColumn(operations, projectId, wanted, service.now(), signal),
    isEnabled: wanted !== null && wanted.population !== 'session',
    freshMs: columnsFreshMs,
  });
  const valuesOf = (column: string, population: Population): readonly RecordedValue[] =>
    wanted?.column === column && wanted.population === population ? (value ?? []) : [];
  return { valuesOf, onWantValues: setWanted };
};

const valuesOfColumn = async (
  operations: Operations,
  projectId: string,
  wanted: WantedValues | null,
  now: number,
  signal: AbortSignal,
): Promise<readonly RecordedValue[]> => {
  const answer = await operations.metrics.search(
    {
      project_id: projectId,
      start_time: new Date(now - recentMs).toISOString(),
      end_time: new Date(now).toISOString(),
      metric_details: [],
      interval_minutes: null,
      group_by: wanted?.column ?? '',
      population: wanted?.population === 'span' ? 'spans' : 'traces',
    },
    { signal },
  );
  const isSpans = answer.population === 'spans';
  return Object.entries(answer.bucketed_metrics)
    .map(([text, buckets]) => ({
      value: text,
      count: buckets.reduce((sum, one) => sum + (isSpans ? one.span_count : one.requests_count), 0),
    }))
    .filter((one) => one.value !== '')
    .sort((one, other) => other.count - one.count)
    .slice(0, wantedValuesMax);
};

const recentsMax = 20;

/** The filters that this browser applied last, newest first; gone with the sign-out. */
export const useRecentFilters = () => {
  const { storage } = useSurroundings();
  const [recents, setRecents] = useState(() => readList(storage.read('filters')));
  return {
    recents,
    addRecent: (text: string): void => {
      if (text === '') return;
      const next = [text, ...recents.filter((one) => one !== text)].slice(0, recentsMax);
      storage.write('filters', JSON.stringify(next));
      setRecents(next);
    },
  };
};

/** Storage may hold anything. */
const readList = (text: string | null): readonly string[] => {
  try {
    const list: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
};
