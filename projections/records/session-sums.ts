import { byCodePoint } from '../../kernel/code-points.js';
import { registryMetricByName } from '../../kernel/records/columns.js';
import type { RollUp, MetricCell, RecordRow } from '../../kernel/records/record.js';
import type { OutlineNumber, TraceOutline } from '../../kernel/records/outlines.js';
import { ownMember, setMember, removeMember } from './row-builder.js';
import { subtractFromSum, zeroSum, addToSum, roundedSum, type ExactSum } from './exact-sum.js';

/**
 * Sums over a session's traces, in the body of its row, so that adding one costs the same however
 * many there are. They depend on the set of its traces alone, not on the order in which they were
 * added, changed and removed.
 */
export type SessionSums = {
  readonly traces: number;
  readonly complete: number;
  /** `at` of the first and of the last trace; null without traces. */
  readonly first: string | null;
  readonly last: string | null;
  /**
   * Number of traces that have a pair of `annotators`, and of those with any pair of `<template
   * id>/`.
   */
  readonly raters: Readonly<Record<string, number>>;
  readonly numbers: Readonly<Record<string, MetricSums>>;
};
/** Sums of one metric's numbers. */
type MetricSums = {
  readonly count: number;
  readonly sum: ExactSum;
  /** Number of values by roll-up method, where it differs from the metric's own. */
  readonly said?: Readonly<Partial<Record<RollUp, number>>>;
  /** Minimum or maximum, where the metric rolls up that way. */
  readonly extreme?: number;
};

/** A trace of a session before and after; null = absent. */
export type TraceChange = {
  readonly before: TraceOutline | null;
  readonly after: TraceOutline | null;
};

export const emptySums: SessionSums = {
  traces: 0,
  complete: 0,
  first: null,
  last: null,
  raters: {},
  numbers: {},
};

export const sumsOf = ({ body }: RecordRow): SessionSums =>
  (body['sums'] as SessionSums | undefined) ?? emptySums;

/**
 * Values that the sums alone cannot give after a change, so that the session's other traces have to
 * be read.
 */
type UnknownSums = {
  readonly first: boolean;
  readonly last: boolean;
  /** Metrics whose minimum or maximum was removed. */
  readonly extremes: readonly string[];
};

/**
 * Applies changes to the sums, as far as the sums alone allow: lost values are set from the changed
 * traces only.
 */
export const applyTraceChanges = (
  sums: SessionSums,
  changes: readonly TraceChange[],
): { readonly sums: SessionSums; readonly lost: UnknownSums } => {
  const raters = { ...sums.raters };
  const numbers: Record<string, MetricSums> = { ...sums.numbers };
  const touched = new Set<string>();
  let { traces, complete } = sums;
  const count = (outline: TraceOutline | null, by: 1 | -1): void => {
    if (outline === null) return;
    traces += by;
    if (outline.isComplete) complete += by;
    for (const rater of ratersOf(outline)) {
      const had = (ownMember(raters, rater) ?? 0) + by;
      if (had === 0) removeMember(raters, rater);
      else setMember(raters, rater, had);
    }
    for (const number of outline.numbers) {
      touched.add(number[0]);
      countNumber(numbers, number, by);
    }
  };
  for (const { before, after } of changes) {
    // Common numbers are left out, which avoids exact sums: scores of a trace change while its
    // other numbers stay.
    const [gone, come] = withoutCommon(before, after);
    count(gone, -1);
    count(come, 1);
  }
  const extremes = [...touched].filter((name) => !settleExtreme(sums, numbers, name, changes));
  const edges = edgesAfter(sums, changes);
  return {
    sums: { traces, complete, raters, numbers, first: edges.first, last: edges.last },
    lost: { ...edges.lost, extremes },
  };
};

/** Restores lost extremes from other traces of the session. */
export const withExtremes = (
  sums: SessionSums,
  names: readonly string[],
  others: readonly TraceOutline[],
): SessionSums => {
  const wanted = new Set(names);
  const numbers: Record<string, MetricSums> = { ...sums.numbers };
  for (const [name, value] of others.flatMap((one) => one.numbers)) {
    const known = wanted.has(name) ? ownMember(numbers, name) : undefined;
    if (known === undefined) continue;
    setMember(numbers, name, { ...known, extreme: furtherExtreme(name, known, value) });
  }
  return { ...sums, numbers };
};

/**
 * Pairs that all traces have, and `<template id>/` where each has at least one
 * (kernel/records/records.ts).
 */
export const commonAnnotators = ({ raters, traces }: SessionSums): readonly string[] =>
  Object.keys(raters)
    .filter((rater) => raters[rater] === traces)
    .sort(byCodePoint);

/**
 * Rolled-up metrics of the session (contract 3.4, rule 4). JSON cannot represent an infinite sum.
 */
export const rolledUpMetrics = ({ numbers }: SessionSums): RecordRow['metrics'] => {
  const cells: Record<string, MetricCell> = {};
  for (const [name, kept] of Object.entries(numbers)) {
    const method = methodOf(name, kept);
    const sum = roundedSum(kept.sum);
    const value = kept.extreme ?? (method === 'average' ? sum / kept.count : sum);
    if (!Number.isFinite(value)) continue;
    const isSaid = method !== 'average' && !registryMetricByName.has(name);
    setMember(cells, name, { rolledUp: true, value, ...(isSaid && { method }) });
  }
  return cells;
};

const ratersOf = ({ annotators }: TraceOutline): ReadonlySet<string> =>
  new Set(annotators.flatMap((pair) => [pair, pair.slice(0, pair.indexOf('/') + 1)]));

/** Both outlines, without the numbers that they have in common. */
const withoutCommon = (
  before: TraceOutline | null,
  after: TraceOutline | null,
): readonly [TraceOutline | null, TraceOutline | null] => {
  if (before === null || after === null) return [before, after];
  const key = (number: OutlineNumber): string => JSON.stringify(number);
  const had = new Set(before.numbers.map(key));
  const has = new Set(after.numbers.map(key));
  const beyond = (outline: TraceOutline, other: ReadonlySet<string>): TraceOutline => ({
    ...outline,
    numbers: outline.numbers.filter((number) => !other.has(key(number))),
  });
  return [beyond(before, has), beyond(after, had)];
};

const countNumber = (
  numbers: Record<string, MetricSums>,
  [name, value, method]: OutlineNumber,
  by: 1 | -1,
): void => {
  const known = ownMember(numbers, name) ?? { count: 0, sum: zeroSum };
  const count = known.count + by;
  if (count === 0) return removeMember(numbers, name);
  const sum = by === 1 ? addToSum(known.sum, value) : subtractFromSum(known.sum, value);
  const said = methodCountsAfter(
    known.said,
    registryMetricByName.has(name) ? undefined : method,
    by,
  );
  const extreme = known.extreme === undefined ? {} : { extreme: known.extreme };
  setMember(numbers, name, { count, sum, ...(said !== undefined && { said }), ...extreme });
};

const methodCountsAfter = (
  said: MetricSums['said'],
  method: RollUp | undefined,
  by: 1 | -1,
): MetricSums['said'] => {
  if (method === undefined || method === 'average') return said;
  const { [method]: had = 0, ...others } = said ?? {};
  const all = had + by === 0 ? others : { ...others, [method]: had + by };
  return Object.keys(all).length === 0 ? undefined : all;
};

/**
 * Roll-up method: the registry's, otherwise the one that most numbers state, with ties in this
 * order; a number without a method counts as average.
 */
const methodOf = (name: string, { count, said = {} }: MetricSums): RollUp => {
  const registered = registryMetricByName.get(name)?.rollUp;
  if (registered !== undefined) return registered;
  const { max = 0, min = 0, sum = 0 } = said;
  const votes = [
    ['max', max],
    ['min', min],
    ['sum', sum],
    ['average', count - max - min - sum],
  ] as const;
  return votes.reduce((most, one) => (one[1] > most[1] ? one : most))[0];
};

const furtherExtreme = (name: string, kept: MetricSums, value: number): number => {
  if (kept.extreme === undefined) return value;
  return methodOf(name, kept) === 'max'
    ? Math.max(kept.extreme, value)
    : Math.min(kept.extreme, value);
};

/** Updates a metric's extreme. Returns false if unchanged traces have to be read for it. */
const settleExtreme = (
  before: SessionSums,
  numbers: Record<string, MetricSums>,
  name: string,
  changes: readonly TraceChange[],
): boolean => {
  const now = ownMember(numbers, name);
  if (now === undefined) return true;
  const { extreme: _, ...kept } = now;
  const method = methodOf(name, kept);
  if (method !== 'max' && method !== 'min') {
    setMember(numbers, name, kept);
    return true;
  }
  const valuesOf = (side: 'before' | 'after'): readonly number[] =>
    changes.flatMap((one) =>
      (one[side]?.numbers ?? []).flatMap(([known, value]) => (known === name ? [value] : [])),
    );
  const come = valuesOf('after');
  const extremeOf = (values: readonly number[]): number | undefined =>
    values.length === 0
      ? undefined
      : values.reduce((one, other) =>
          method === 'max' ? Math.max(one, other) : Math.min(one, other),
        );
  const others = kept.count - come.length;
  const had = ownMember(before.numbers, name);
  const knew = had !== undefined && methodOf(name, had) === method ? had.extreme : undefined;
  const best = extremeOf(come);
  const isBeaten = best !== undefined && knew !== undefined && extremeOf([best, knew]) === best;
  const isLost = knew === undefined || valuesOf('before').includes(knew);
  const candidates = [best, isLost ? undefined : knew].filter((one) => one !== undefined);
  const extreme = extremeOf(candidates);
  setMember(numbers, name, { ...kept, ...(extreme !== undefined && { extreme }) });
  return others === 0 || isBeaten || !isLost;
};

/** First and last trace among the known and the added ones; lost where that trace was removed. */
const edgesAfter = (sums: SessionSums, changes: readonly TraceChange[]) => {
  // A root that arrives late changes the begin of its trace (contract 5.12, rule 3).
  const gone = new Set(
    changes.flatMap(({ before, after }) =>
      before !== null && before.at !== after?.at ? [before.at] : [],
    ),
  );
  const come = changes.flatMap(({ after }) => (after === null ? [] : [after.at]));
  const edge = (known: string | null, isBefore: (one: string, other: string) => boolean) => {
    const isLost = known !== null && gone.has(known);
    const candidates = known === null || isLost ? come : [known, ...come];
    const at = candidates.reduce<string | null>(
      (best, one) => (best === null || isBefore(one, best) ? one : best),
      null,
    );
    return { at, isLost };
  };
  const first = edge(sums.first, (one, other) => one < other);
  const last = edge(sums.last, (one, other) => one > other);
  return { first: first.at, last: last.at, lost: { first: first.isLost, last: last.isLost } };
};
