import { canonicalUuid } from '../../kernel/uuid-and-instant.js';
import type { FilterTree } from '../language/filter-tree.js';
import {
  addressCodec,
  choiceMember,
  rangeMember,
  sortMember,
  textMember,
  type RangePreset,
  type TimeRange,
} from './address.js';

/** Records that a view is about; the same members in the address of each page that filters. */
export type RecordScope = {
  readonly t: TimeRange;
  /** Text of the filter language; empty: all records. */
  readonly f: string;
  /** Kind and id of a run: `log_stream:<uuid>`; empty: the whole project. */
  readonly run: string;
};

/** Members `t`, `f` and `run` for the codec of a page's address. */
export const scopeMembers = {
  t: rangeMember(),
  f: textMember(),
  run: {
    ...textMember(),
    parse: (text: string) => (runSelector(text) === null ? undefined : text),
  },
};

/** Views that are their scope alone: links to the records of a filter. */
export const scopeCodec = addressCodec<RecordScope>(scopeMembers);

/** The list that a record was opened from, and its row there, so that one can go on and back. */
export type RecordList = RecordScope & {
  readonly sort: { readonly column: string; readonly ascending: boolean } | null;
  readonly from: 'none' | 'traces' | 'spans';
  /** From 1; 0: unknown. */
  readonly row: number;
};

/** Members of a list for the codec of a record's page. */
export const listMembers = {
  ...scopeMembers,
  sort: sortMember(),
  from: choiceMember(['none', 'traces', 'spans'], 'none'),
  row: {
    initial: 0,
    print: String,
    parse: (text: string) => (/^\d{1,6}$/.test(text) ? Number(text) : undefined),
  },
};

const presetMs: Readonly<Record<RangePreset, number>> = {
  '15m': 15 * 60_000,
  '1h': 3_600_000,
  '24h': 86_400_000,
  '7d': 7 * 86_400_000,
  '30d': 30 * 86_400_000,
  all: Number.POSITIVE_INFINITY,
};

type TimeWindow = { readonly start_time?: string; readonly end_time?: string };

/**
 * Bounds of a query. A preset ends at `now`, milliseconds since 1970 by the service's clock, so
 * that later records do not shift its pages; `all` has no bound.
 */
export const windowOf = (range: TimeRange, now: number): TimeWindow => {
  if (range === 'all') return {};
  if (typeof range !== 'string') return { start_time: range.from, end_time: range.to };
  const begin = now - presetMs[range];
  return { start_time: new Date(begin).toISOString(), end_time: new Date(now).toISOString() };
};

/** The same without an end where the range moves with the clock: for counting what came since. */
export const openWindowOf = (range: TimeRange, now: number): TimeWindow => {
  const { start_time, end_time } = windowOf(range, now);
  return {
    ...(start_time !== undefined && { start_time }),
    ...(typeof range !== 'string' && end_time !== undefined && { end_time }),
  };
};

/** Run of an address that stands for log streams, experiments and scorer tests together. */
export const allRuns = 'all';

/** Items that a list of a filter has at most (contract 1.11). */
const listedMax = 1_000;

/** A run, as an address has it, and a condition besides. */
type StreamScope = { readonly run: string; readonly condition: FilterTree | null };

/** Scope of the records of these log streams; `hasOthers`: the project has other runs. */
export const streamScope = (streams: readonly string[], hasOthers: boolean): StreamScope => {
  const [first, ...more] = streams;
  if (!hasOthers || first === undefined || streams.length > listedMax) {
    return { run: '', condition: null };
  }
  if (more.length === 0) return { run: `log_stream:${first}`, condition: null };
  const leaf = { type: 'id', name: 'run_id', operator: 'one_of', value: streams } as const;
  return { run: '', condition: { filter: leaf } };
};

/** The run of an address in words, without its name: `One experiment`. */
export const runText = (run: string): string => {
  const [kind = ''] = run.split(':');
  if (kind === 'log_stream') return 'One log stream';
  if (kind === 'experiment') return 'One experiment';
  return kind === 'metrics_testing' ? 'One validation' : 'All log streams and experiments';
};

type RunSelector = {
  readonly log_stream_id?: string;
  readonly experiment_id?: string;
  readonly metrics_testing_id?: string;
};

/** Members of a query for a run of the address; null where the text names none. */
export const runSelector = (run: string): RunSelector | null => {
  if (run === '') return {};
  const [kind = '', id = ''] = run.split(':');
  if (canonicalUuid(id) === null) return null;
  const isKnown = ['log_stream', 'experiment', 'metrics_testing'].includes(kind);
  return isKnown ? { [`${kind}_id`]: id } : null;
};
