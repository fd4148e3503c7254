import type { Document, Filter as Match } from 'mongodb';
import { parseJsonText } from '../../kernel/json-text.js';
import type { RecordScope, SearchPlan } from '../../kernel/records/query-plans.js';
import type { Instant } from '../../kernel/schema-types.js';

export const tieOrder = { at: -1, id: -1 };

/** What is sorted by: a member that the index orders already, or what the pipeline makes of it. */
export const orderMember = (member: string | null): string =>
  member !== null && Object.hasOwn(tieOrder, member) ? member : 'order';

/** Where a stretch ended. `value` null: what is sorted by is missing. */
type KeysetPosition = {
  readonly value: string | number | boolean | null;
  readonly at: string;
  readonly id: string;
};

/** Beside the members of a row: what it is sorted by. */
export const keysetMembers = (member: string | null): Document =>
  member === null ? {} : { place: `$${orderMember(member)}` };

export const keysetToken = ({ place, at, id }: Document): string =>
  JSON.stringify({
    value: (place ?? null) as KeysetPosition['value'],
    at,
    id,
  } satisfies KeysetPosition);

/** In the usual order the index goes on where the stretch before ended. */
export const withKeysetWindow = (plan: SearchPlan, member: string | null): RecordScope => {
  if (plan.after == null || member !== null) return plan;
  return { ...plan, to: (parseJsonText(plan.after) as KeysetPosition).at as Instant };
};

/** Missing values are last in both directions (contract 3.8). */
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
