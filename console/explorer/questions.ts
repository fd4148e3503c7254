import { useMemo, useRef, useState } from 'preact/hooks';
import type { AssayFault } from '../../clients/typescript/src/fault.js';
import type { FilterNode } from '../../clients/typescript/src/generated/traces-types.js';
import { useSurroundings } from '../client/context.js';
import { kindOf } from '../client/filter-context.js';
import { useQuery } from '../client/queries.js';
import type { Operations } from '../client/operations.js';
import { readPermit } from '../parts/permits.js';
import type { FilterTree } from '../language/filter-tree.js';
import type { Population } from '../../kernel/records/record.js';
import type { ExploredRecord } from './cell-text.js';

/** Which records: project, run, window and filter, as each operation of records takes them. */
export type RecordQuestion = {
  readonly project_id: string;
  readonly log_stream_id?: string;
  readonly experiment_id?: string;
  readonly metrics_testing_id?: string;
  readonly start_time?: string;
  readonly end_time?: string;
  readonly filter_tree?: FilterNode;
};

/** The question about the records that also fulfil the tree. */
export const withFilter = (question: RecordQuestion, tree: FilterTree | null): RecordQuestion =>
  tree === null ? question : { ...question, filter_tree: tree };

export type SortMember = { readonly column_id: string; readonly ascending: boolean };
/** The question with the order and the members of its rows. */
type RowQuestion = RecordQuestion & {
  readonly sort?: SortMember;
  readonly fields: readonly string[];
};
/** Rows of the first page, and of each further one. */
const pageRows = 100;
const furtherRows = 500;
/** Rows beyond which one narrows or exports. */
export const rowsMax = 10_000;

type RecordPage = {
  readonly records: readonly ExploredRecord[];
  /** Id of the record behind which the next page begins; null: this is the last one. */
  readonly next: string | null;
  readonly unknownColumns: readonly string[];
};

const askPage = async (
  operations: Operations,
  population: Population,
  question: RowQuestion,
  after: string | null,
  signal: AbortSignal | undefined,
): Promise<RecordPage> => {
  let unknown = '';
  const page = await operations[kindOf[population]].search(
    {
      ...question,
      truncate_fields: true,
      ...(after === null ? { limit: pageRows } : { limit: furtherRows, after }),
    },
    {
      ...(signal !== undefined && { signal }),
      onAnswer: ({ headers }) => {
        unknown = headers.get('X-Unknown-Columns') ?? '';
      },
    },
  );
  return {
    records: page.records as readonly unknown[] as readonly ExploredRecord[],
    next: page.next_starting_token === null ? null : page.last_row_id,
    unknownColumns: unknown === '' ? [] : unknown.split(',').map(decodeURIComponent),
  };
};

type FurtherPages = {
  readonly key: string;
  readonly pages: readonly RecordPage[];
  readonly fault: AssayFault | null;
};

/** Key of a record within its project: a span's id is unique in its trace only. */
export const recordKey = (record: ExploredRecord): string =>
  record.type === 'session' || record.type === 'trace'
    ? record.id
    : `${record.trace_id} ${record.id}`;

/** The records of a question, page by page, each once; `more` asks for the next page. */
export const useRecordPages = (
  population: Population,
  question: RowQuestion,
  { now, isEnabled }: { readonly now: number; readonly isEnabled: boolean },
) => {
  const { clock, service } = useSurroundings();
  const first = useQuery({
    key: [kindOf[population], 'rows', question, now],
    ask: async (operations, signal) => {
      const begin = clock.now();
      const page = await askPage(operations, population, question, null, signal);
      return { ...page, ms: clock.now() - begin };
    },
    isEnabled,
    freshMs: Number.POSITIVE_INFINITY,
    keepsPrevious: true,
  });
  const key = JSON.stringify([question, first.answeredAt]);
  const [further, setFurther] = useState<FurtherPages>({ key: '', pages: [], fault: null });
  const running = useRef('');
  const own = further.key === key ? further : { key, pages: [], fault: null };
  const rows = useMemo(() => {
    const byKey = new Map<string, ExploredRecord>();
    for (const page of [first.value, ...own.pages]) {
      for (const record of page?.records ?? []) {
        if (!byKey.has(recordKey(record))) byKey.set(recordKey(record), record);
      }
    }
    return [...byKey.values()].slice(0, rowsMax);
  }, [first.value, own.pages]);
  const next = (own.pages.at(-1) ?? first.value)?.next ?? null;
  const more = async (): Promise<void> => {
    const wanted = `${key} ${next}`;
    const isPointless = next === null || first.isPrevious || rows.length >= rowsMax;
    if (isPointless || running.current === wanted) return;
    running.current = wanted;
    try {
      const { value } = await service.read(readPermit, (operations) =>
        askPage(operations, population, question, next, undefined),
      );
      setFurther({ key, pages: [...own.pages, value], fault: null });
    } catch (error) {
      running.current = '';
      setFurther({ ...own, fault: error as AssayFault });
    }
  };
  return { first, rows, hasMore: next !== null, furtherFault: own.fault, more };
};

/** How many records there are; `now` tells apart when it was asked, `everyMs` asks again. */
export const useRecordCount = (
  population: Population,
  question: RecordQuestion,
  options: {
    readonly name: string;
    readonly now: number;
    readonly isEnabled: boolean;
    readonly everyMs?: number;
  },
) =>
  useQuery({
    key: [kindOf[population], options.name, question, options.now],
    ask: async (operations, signal) => {
      const answer = await operations[kindOf[population]].count(question, { signal });
      return answer.total_count;
    },
    freshMs: options.everyMs === undefined ? Number.POSITIVE_INFINITY : 0,
    isEnabled: options.isEnabled,
    ...(options.everyMs !== undefined && { everyMs: options.everyMs }),
  });

/** One `custom_search` without metrics: counts by time or by value. */
export const useCounts = (
  population: Population,
  question: RecordQuestion,
  options: {
    readonly name: string;
    readonly groupBy?: string;
    readonly minutes: number | null;
    readonly isEnabled: boolean;
  },
) =>
  useQuery({
    key: ['metrics', options.name, population, question, options.groupBy, options.minutes],
    ask: (operations, signal) =>
      operations.metrics.search(
        {
          ...question,
          start_time: question.start_time ?? firstInstant,
          end_time: question.end_time ?? lastInstant,
          metric_details: [],
          interval_minutes: options.minutes,
          population: population === 'span' ? 'spans' : 'traces',
          ...(options.groupBy !== undefined && { group_by: options.groupBy }),
        },
        { signal },
      ),
    isEnabled: options.isEnabled && population !== 'session',
    freshMs: Number.POSITIVE_INFINITY,
    keepsPrevious: true,
  });
const firstInstant = '0001-01-01T00:00:00Z';
const lastInstant = '9999-12-31T23:59:59Z';

/** When the first and the last of these records began; null without any. */
export const useBounds = (
  population: Population,
  question: RecordQuestion,
  options: { readonly isEnabled: boolean },
) =>
  useQuery({
    key: [kindOf[population], 'bounds', question],
    ask: async (operations, signal) => {
      const end = async (ascending: boolean): Promise<number | null> => {
        const sort = { column_id: 'created_at', ascending };
        const asked = { ...question, sort, limit: 1, truncate_fields: true };
        const { records } = await operations[kindOf[population]].search(asked, { signal });
        const [record] = records as readonly unknown[] as readonly ExploredRecord[];
        return record === undefined ? null : Date.parse(record.created_at);
      };
      const [fromMs, toMs] = await Promise.all([end(true), end(false)]);
      return fromMs === null || toMs === null ? null : { fromMs, toMs };
    },
    isEnabled: options.isEnabled,
  });
