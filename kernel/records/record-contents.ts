import type { RecordRow } from './record.js';

// Contents: the members of a record whose length only its sender bounds. An outline of many records
// is read without them.

/** Members of a record as read that hold contents (contract 5.6, 5.7). */
export const contentMembers = [
  'input',
  'output',
  'redacted_input',
  'redacted_output',
  'dataset_input',
  'dataset_output',
  'dataset_metadata',
  'tools',
  'events',
] as const;
export type ContentMember = (typeof contentMembers)[number];

/** Standard columns among the contents, which rows have in `values`. */
export const contentColumns = [
  'input',
  'output',
  'dataset_input',
  'dataset_output',
  'tools',
] as const satisfies readonly ContentMember[];

/** Contents that rows have in `body`. */
const bodyContents = [
  'input',
  'output',
  'redacted_input',
  'redacted_output',
  'dataset_metadata',
  'events',
] as const satisfies readonly ContentMember[];

/** Contents to read; absent: all. */
export type WantedContents = readonly ContentMember[] | undefined;

/** True if a row's `body` has contents that are wanted. */
export const wantsBody = (wanted: WantedContents): boolean =>
  wanted === undefined || bodyContents.some((member) => wanted.includes(member));

/** The row without the contents that are not wanted. */
export const withContents = (row: RecordRow, wanted: WantedContents): RecordRow => {
  if (wanted === undefined) return row;
  const unwanted = contentMembers.filter((member) => !wanted.includes(member));
  return {
    ...row,
    values: withoutMembers(row.values, unwanted),
    body: withoutMembers(row.body, unwanted),
  };
};

type Body = RecordRow['body'];

/** Splits a body into the part without contents and its contents, null without any. */
export const splitBody = (body: Body): readonly [brief: Body, contents: Body | null] => {
  if (!bodyContents.some((member) => body[member] !== undefined)) return [body, null];
  const members = bodyContents.filter((member) => Object.hasOwn(body, member));
  const contents = members.map((member) => [member, body[member] ?? null] as const);
  return [withoutMembers(body, members), Object.fromEntries(contents)];
};

const withoutMembers = <T extends Readonly<Record<string, unknown>>>(
  object: T,
  members: readonly string[],
): T =>
  members.some((member) => Object.hasOwn(object, member))
    ? (Object.fromEntries(
        Object.entries(object).filter(([member]) => !members.includes(member)),
      ) as T)
    : object;
