import type { Document, Filter as Match } from 'mongodb';
import { parseJsonText } from '../../kernel/json-text.js';
import type { RecordScope, SearchPlan } from '../../kernel/records/query-plans.js';
import type { Instant } from '../../kernel/schema-types.js';

export const tieOrder = { at: -1, id: -1 };

/** Sort member: one that the index orders already, or the pipeline's computed `order`. */
export const orderMember = (member: string | null): string =>
  member !== null && Object.hasOwn(tieOrder, member) ? member : 'order';

/**
 * Cursor of keyset pagination: the last row's position. `value` null: the sort value is missing.
 */
type KeysetPosition = {
  readonly value: string | number | boolean | null;
  readonly at: string;
  readonly id: string;
};

/** Adds the sort value to the members of a row. */
export const keysetMembers = (member: string | null): Document =>
  member === null ? {} : { place: `$${orderMember(member)}` };

export const keysetToken = ({ place, at, id }: Document): string =>
  JSON.stringify({
    value: (place ?? null) as KeysetPosition['value'],
    at,
    id,
  } satisfies KeysetPosition);

/**
 * Narrows the scope's time window to the cursor, in the default order, so that the index continues
 * there.
 */
export const withKeysetWindow = (plan: SearchPlan, member: string | null): RecordScope => {
  if (plan.after == null || member !== null) return plan;
  const at = (parseJsonText(plan.after) as KeysetPosition).at as Instant;
  return { ...plan, to: plan.to !== null && plan.to < at ? plan.to : at };
};

/**
 * Condition for the rows after a cursor. Missing values sort last in both directions (contract
 * 3.8).
 */
export const afterKeyset = (
  after: string,
  member: string | null,
  isUp: boolean,
): Match<Document> => {
  const { value, at, id } = parseJsonText(after) as KeysetPosition;
  const tied = { $or: [{ at: { $lt: at } }, { at: { $eq: at }, id: { $lt: id } }] };
  if (member === null) return tied;
  const order = orderMember(member);
  if (value === null) return { $and: [{ [order]: null }, tied] };
  const further = { [order]: isUp ? { $gt: value } : { $lt: value } };
  return { $or: [further, { [order]: null }, { $and: [{ [order]: { $eq: value } }, tied] }] };
};
