import { canonicalInstant, canonicalUuid } from '../../kernel/uuid-and-instant.js';

/** Ranges that move with the clock. */
export const rangePresets = ['15m', '1h', '24h', '7d', '30d', 'all'] as const;
export type RangePreset = (typeof rangePresets)[number];

/** Time range of a view: a preset, or fixed bounds to the microsecond, both included. */
export type TimeRange = RangePreset | { readonly from: string; readonly to: string };

/** Kind and id of a run: `log_stream:<uuid>`; empty: the whole project. */
type RunText = string;

/** Records that a view is about; the same members in the address of each page that filters. */
export type RecordScope = {
  readonly range: TimeRange;
  /** Text of the filter language; empty: all records. */
  readonly filter: string;
  readonly run: RunText;
};

const usualRange: RangePreset = '24h';

/** Reads `t`, `f` and `run` of a view; what is malformed becomes the default. */
export const readScope = (view: URLSearchParams): RecordScope => ({
  range: parseRange(view.get('t') ?? '') ?? usualRange,
  filter: view.get('f') ?? '',
  run: runSelector(view.get('run') ?? '') === null ? '' : (view.get('run') ?? ''),
});

/** Writes `t`, `f` and `run` into a view, defaults left out. */
export const writeScope = (view: URLSearchParams, scope: RecordScope): void => {
  const members = {
    t: scope.range === usualRange ? '' : printRange(scope.range),
    f: scope.filter,
    run: scope.run,
  };
  for (const [name, value] of Object.entries(members)) {
    if (value === '') view.delete(name);
    else view.set(name, value);
  }
};

/** `7d`, or two instants between `..`; null for anything else, also where they are swapped. */
export const parseRange = (text: string): TimeRange | null => {
  const preset = rangePresets.find((one) => one === text);
  if (preset !== undefined) return preset;
  const [from, to, ...rest] = text.split('..').map((one) => canonicalInstant(one));
  if (from == null || to == null || rest.length > 0 || from > to) return null;
  return { from, to };
};

const printRange = (range: TimeRange): string =>
  typeof range === 'string' ? range : `${range.from}..${range.to}`;

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

type RunSelector = {
  readonly log_stream_id?: string;
  readonly experiment_id?: string;
  readonly metrics_testing_id?: string;
};

/** Members of a query for a run of the address; null where the text names none. */
export const runSelector = (run: RunText): RunSelector | null => {
  if (run === '') return {};
  const [kind = '', id = ''] = run.split(':');
  if (canonicalUuid(id) === null) return null;
  const isKnown = ['log_stream', 'experiment', 'metrics_testing'].includes(kind);
  return isKnown ? { [`${kind}_id`]: id } : null;
};
