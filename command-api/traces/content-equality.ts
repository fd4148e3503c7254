import type { RecordContent, SpanContent } from '../../events/traces.js';

/** True if two JSON values are equal, ignoring the order of members. */
export const sameJson = (one: unknown, other: unknown): boolean => {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object') return false;
  if (one === null || other === null || Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every(
      (name) =>
        Object.hasOwn(other, name) &&
        sameJson(
          (one as Readonly<Record<string, unknown>>)[name],
          (other as Readonly<Record<string, unknown>>)[name],
        ),
    )
  );
};

/**
 * True if two records have the same content (contract 5.6, rule 3): the members as sent after
 * defaults, without ids, times and prices added by the service. Parents are compared by the caller,
 * which knows both trees.
 */
export const sameContent = (one: RecordContent, other: RecordContent): boolean =>
  sameJson(one.minted ?? [], other.minted ?? []) && sameJson(sentMembers(one), sentMembers(other));

const sentMembers = (content: RecordContent): object => {
  const { minted = [], parent_id: _, price: _p, ...members } = content as SpanContent;
  if (minted.length === 0) return members;
  return Object.fromEntries(
    Object.entries(members).filter(([name]) => !minted.some((one) => one === name)),
  );
};

/** A trace as sent in one request. */
export type SentTraceContent = {
  readonly trace: RecordContent;
  readonly spans: readonly SpanContent[];
  readonly is_complete: boolean;
};

/**
 * Ids of the first trace's records that differ between two versions of a trace; empty = equal.
 * Spans are compared in order, and a parent with a minted id by its index in that order.
 */
export const differingRecords = (
  one: SentTraceContent,
  other: SentTraceContent,
): readonly string[] => {
  const differ = new Set<string>();
  const isSameTrace =
    one.is_complete === other.is_complete &&
    one.spans.length === other.spans.length &&
    sameContent(one.trace, other.trace);
  if (!isSameTrace) differ.add(one.trace.id);
  const places = [spanOrder(one), spanOrder(other)] as const;
  for (const [index, span] of one.spans.entries()) {
    const counterpart = other.spans[index];
    if (counterpart === undefined) break;
    const isSamePlace =
      (places[0].get(span.parent_id) ?? span.parent_id) ===
      (places[1].get(counterpart.parent_id) ?? counterpart.parent_id);
    if (!isSamePlace || !sameContent(span, counterpart)) {
      // A newly minted id would be unknown to the client.
      differ.add(span.minted?.includes('id') === true ? one.trace.id : span.id);
    }
  }
  return [...differ];
};

const spanOrder = ({ trace, spans }: SentTraceContent): ReadonlyMap<string, number> =>
  new Map([[trace.id, -1], ...spans.map(({ id }, index): [string, number] => [id, index])]);
