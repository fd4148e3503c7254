import { microsecondsBetween } from '../../kernel/records/time-buckets.js';
import type { RecordKind } from '../../kernel/records/record.js';
import type { Instant } from '../../kernel/schema-types.js';

/** Kinds whose duration spans their descendants, where it was not sent. */
const spanningKinds: ReadonlySet<RecordKind> = new Set(['trace', 'workflow', 'agent']);

/** The part of a record that elapsed times follow from. */
export type TimedRecord = {
  readonly kind: RecordKind;
  readonly begin: Instant;
  /** Own `duration_ns`, as sent. */
  readonly duration: number | null;
};

/** Elapsed time of each record that sent none; undefined: unknown, or it sent its own. */
type ElapsedTimes = readonly (number | undefined)[];

/**
 * Derives `duration_ns` of records that sent none (contract 3.4, rule 7): from the first begin to
 * the last end of the record and all spans below it, as long as one of these sent its own.
 * `records` are the spans, then the trace; `children` are the indices of spans under each.
 */
export const elapsedTimes = (
  records: readonly TimedRecord[],
  children: readonly (readonly number[])[],
): ElapsedTimes => {
  if (records.every(({ duration }) => duration === null)) return [];
  const times = timesOf(records, children);
  return records.map(({ kind, duration }, at) => {
    const { begin, end, isSaid } = times[at] ?? nothing;
    return duration === null && isSaid && spanningKinds.has(kind) ? end - begin : undefined;
  });
};

/**
 * Time span of a record and its descendants, in nanoseconds since the trace began: exact for 100
 * days.
 */
type Times = {
  begin: number;
  end: number;
  /** A descendant sent its duration. */
  isSaid: boolean;
};
const nothing: Times = { begin: 0, end: 0, isSaid: false };

const timesOf = (
  records: readonly TimedRecord[],
  children: readonly (readonly number[])[],
): readonly Times[] => {
  const zero = records.at(-1)?.begin as Instant;
  const times = records.map((record): Times => {
    const begin = microsecondsBetween(zero, record.begin) * 1_000;
    return { begin, end: begin + Math.max(record.duration ?? 0, 0), isSaid: false };
  });
  const topDown = [records.length - 1];
  for (const at of topDown) topDown.push(...(children[at] ?? []));
  for (const at of topDown.reverse()) {
    const above = times[at];
    for (const child of children[at] ?? []) {
      const under = times[child];
      if (above === undefined || under === undefined) continue;
      above.begin = Math.min(above.begin, under.begin);
      above.end = Math.max(above.end, under.end);
      above.isSaid ||= under.isSaid || records[child]?.duration !== null;
    }
  }
  return times;
};
