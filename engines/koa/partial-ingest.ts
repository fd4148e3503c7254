import { truncateLongTexts } from '../../contract/long-texts.js';
import type { PartialIngest, RejectedItem, TextPath } from '../../contract/partial-ingest.js';
import { firstCodePoints } from '../../kernel/code-points.js';
import { pluralize, Fault, type Complaint } from '../../kernel/fault.js';

type ItemsBody = Readonly<Record<string, unknown>>;
type ItemValidator = (body: ItemsBody) => readonly Complaint[];

/**
 * Validation of a body whose list is accepted or rejected item by item (contract 5.6, rules 8 and
 * 9).
 */
export type ItemValidation = {
  /**
   * Drops the items that `judge` complains of, after cutting long texts. Returns [] when the rest
   * has passed; otherwise the complaints that reject the request: about a member beside the list,
   * or about every item.
   */
  readonly validate: (judge: ItemValidator) => readonly Complaint[];
  /** Body with the remaining items. */
  readonly body: () => ItemsBody;
  readonly partial: () => PartialIngest;
};

/**
 * Null when the body is not an object with a list of items there: such a body is validated as a
 * whole.
 */
export const openItemValidation = (sent: unknown, member: string): ItemValidation | null => {
  if (typeof sent !== 'object' || sent === null) return null;
  const items = (sent as ItemsBody)[member];
  if (!Array.isArray(items)) return null;
  let body = sent as ItemsBody;
  let indices: readonly number[] = items.map((_, index) => index);
  let truncated: readonly TextPath[] | null = null;
  const rejected = new Map<number, RejectedItem>();
  const itemAt = (index: number): unknown => (items as readonly unknown[])[index];

  /** Maps a complaint about an item to the item's index in the request. */
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
    // The number of complaints about a whole body is limited, so each item is validated alone.
    const alone = indices.flatMap((index) =>
      judge({ ...body, [member]: [itemAt(index)] }).map((found) => placed(found, [index])),
    );
    const beside = alone.filter((complaint) => !isAboutItem(member, complaint));
    if (beside.length > 0) return whole;
    drop(alone);
    // Limits that the items share (contract 1.11) remain.
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

/** Longest text of a request that its response quotes, in code points. */
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

/** Adds rejected items to a conflict of the accepted ones (contract 5.6, rule 8). */
export const withRejectedItems = (error: unknown, { rejected }: PartialIngest): unknown => {
  const [first] = rejected;
  if (first === undefined || !(error instanceof Fault) || error.code !== 'conflict') return error;
  const sentence = `${pluralize(rejected.length, 'malformed record')} rejected too, the first at`;
  const detail = `${error.message}. ${sentence} ${first.loc.slice(1).join('/')}: ${first.msg}`;
  return new Fault('conflict', detail, { cause: error.cause, members: error.members });
};
