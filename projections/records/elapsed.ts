import { microsecondsBetween } from '../../kernel/records/time-buckets.js';
import type { RecordKind } from '../../kernel/records/record.js';
import type { Instant } from '../../kernel/schema-types.js';
import { ownNumber, putElapsed, type RowBuilder } from './row-builder.js';

const metric = 'duration_ns';

/** Kinds whose duration spans their descendants, where it was not sent. */
const spanningKinds: ReadonlySet<RecordKind> = new Set(['trace', 'workflow', 'agent']);

/**
 * Derives `duration_ns` of records that sent none (contract 3.4, rule 7): from the first begin to
 * the last end of the record and all spans below it, as long as one of these sent its own.
 * `children` are the indices of spans under each span, in the last place those under the trace.
 */
export const deriveElapsed = (
  rows: readonly RowBuilder[],
  children: readonly (readonly number[])[],
): void => {
  const [trace, ...spans] = rows;
  if (trace === undefined) return;
  const records = [...spans, trace];
  const times = timesOf(records, children);
  for (const [at, { kind, metrics }] of records.entries()) {
    if (ownNumber(metrics[metric]) !== null) continue;
    const { begin, end, isSaid } = times[at] ?? nothing;
    putElapsed(metrics, isSaid && spanningKinds.has(kind) ? end - begin : undefined);
  }
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
  records: readonly RowBuilder[],
  children: readonly (readonly number[])[],
): readonly Times[] => {
  const zero = beginOf(records.at(-1));
  const times = records.map((record): Times => {
    const begin = microsecondsBetween(zero, beginOf(record)) * 1_000;
    const own = ownNumber(record.metrics[metric]) ?? 0;
    return { begin, end: begin + Math.max(own, 0), isSaid: false };
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
      above.isSaid ||= under.isSaid || hasOwnDuration(records[child]);
    }
  }
  return times;
};

const hasOwnDuration = (record: RowBuilder | undefined): boolean =>
  record !== undefined && ownNumber(record.metrics[metric]) !== null;

const beginOf = (record: RowBuilder | undefined): Instant =>
  record?.values['created_at'] as Instant;
