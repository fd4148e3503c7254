import { truncateLongTexts } from '../../contract/long-texts.js';
import type { PartialIngest, RejectedItem, TextPath } from '../../contract/partial-ingest.js';
import { firstCodePoints } from '../../kernel/code-points.js';
import { pluralize, Fault, type Complaint } from '../../kernel/fault.js';

type ItemsBody = Readonly<Record<string, unknown>>;
type ItemValidator = (body: ItemsBody) => readonly Complaint[];

/** A body whose list is decided item by item (contract 5.6, rules 8 and 9). */
export type ItemValidation = {
  /**
   * Drops the items that `judge` complains of, and cuts long texts before that. Returns [] when
   * what is left has passed; otherwise the complaints that refuse the request: about a member
   * beside the list, or about every item.
   */
  readonly validate: (judge: ItemValidator) => readonly Complaint[];
  /** With the items that are left. */
  readonly body: () => ItemsBody;
  readonly partial: () => PartialIngest;
};

/** Null when the body is not an object with a list of items there: such a body is judged whole. */
export const openItemValidation = (sent: unknown, member: string): ItemValidation | null => {
  if (typeof sent !== 'object' || sent === null) return null;
  const items = (sent as ItemsBody)[member];
  if (!Array.isArray(items)) return null;
  let body = sent as ItemsBody;
  let indices: readonly number[] = items.map((_, index) => index);
  let truncated: readonly TextPath[] | null = null;
  const rejected = new Map<number, RejectedItem>();
  const itemAt = (index: number): unknown => (items as readonly unknown[])[index];

  /** With the item's place in the request, where the complaint is about one. */
  const placed = (complaint: Complaint, among = indices): Complaint => {
    if (!isAboutItem(member, complaint)) return complaint;
    const [root = 'body', , at, ...below] = complaint.loc;
    return { ...complaint, loc: [root, member, String(among[Number(at)]), ...below] };
  };
  const drop = (complaints: readonly Complaint[]): void => {
    for (const { loc, msg } of complaints) {
      const index = Number(loc[2]);
      if (!rejected.has(index)) rejected.set(index, rejectionOf(index, itemAt(index), loc, msg));
    }
    indices = indices.filter((index) => !rejected.has(index));
    body = { ...body, [member]: indices.map(itemAt) };
  };

  const pass = (judge: ItemValidator): readonly Complaint[] => {
    if (judge(body).length === 0) return [];
    truncated ??= truncateLongTexts(items, [member]);
    const whole = judge(body).map((complaint) => placed(complaint));
    if (whole.length === 0) return [];
    // The complaints about all together are limited in number, so each item is judged alone.
    const alone = indices.flatMap((index) =>
      judge({ ...body, [member]: [itemAt(index)] }).map((one) => placed(one, [index])),
    );
    const beside = alone.filter((complaint) => !isAboutItem(member, complaint));
    if (beside.length > 0) return whole;
    drop(alone);
    // Limits that the items share (contract 1.11) are left.
    const shared = indices.length === 0 ? whole : judge(body).map((one) => placed(one));
    if (indices.length === 0 || shared.some((one) => !isAboutItem(member, one))) return shared;
    drop(shared);
    return indices.length === 0 ? whole : judge(body).map((one) => placed(one));
  };
  return {
    validate: pass,
    body: () => body,
    partial: () => ({
      rejected: [...rejected.values()].sort((one, other) => one.index - other.index),
      truncated: (truncated ?? []).filter(([, index]) => !rejected.has(Number(index))),
    }),
  };
};

const isAboutItem = (member: string, { loc }: Complaint): boolean =>
  loc[1] === member && loc[2] !== undefined;

/** Longest text of a request that its answer quotes, in code points. */
const shownMax = 300;
const truncateText = (text: string): string => firstCodePoints(text, shownMax);

const rejectionOf = (
  index: number,
  item: unknown,
  loc: readonly string[],
  msg: string,
): RejectedItem => {
  const id = typeof item === 'object' && item !== null ? (item as { id?: unknown }).id : null;
  const isShort = typeof id === 'string' && id.length <= shownMax;
  return { index, id: isShort ? id : null, loc: loc.map(truncateText), msg: truncateText(msg) };
};

/** A conflict of the accepted items also says that others were rejected (contract 5.6, rule 8). */
export const withRejectedItems = (error: unknown, { rejected }: PartialIngest): unknown => {
  const [first] = rejected;
  if (first === undefined || !(error instanceof Fault) || error.code !== 'conflict') return error;
  const sentence = `${pluralize(rejected.length, 'malformed record')} rejected too, the first at`;
  const detail = `${error.message}. ${sentence} ${first.loc.slice(1).join('/')}: ${first.msg}`;
  return new Fault('conflict', detail, { cause: error.cause, members: error.members });
};
