import type { Document } from 'mongodb';
import { parseJsonText } from '../../kernel/json-text.js';
import { standardColumns } from '../../kernel/records/columns.js';
import {
  contentColumns,
  wantsBody,
  withContents,
  type WantedContents,
} from '../../kernel/records/record-contents.js';
import type { RecordRow } from '../../kernel/records/record.js';
import type { RowRest, StoredRow } from './record-encoding.js';

/** Members that `rowFromDocument` needs. */
export const rowMembers = {
  _id: 0,
  group: 1,
  ordinal: 1,
  kind: 1,
  id: 1,
  at: 1,
  spans: 1,
  values: 1,
  annotators: 1,
  rest: 1,
  parts: 1,
} as const;

/** Members that `rowFromDocument` needs for a row with these contents, as a stage projects them. */
export const rowMembersWith = (contents: WantedContents): Document => {
  if (contents === undefined) return rowMembers;
  const unwanted: readonly string[] = contentColumns.filter((id) => !contents.includes(id));
  const shown = standardColumns.filter(({ id }) => !unwanted.includes(id));
  const values = Object.fromEntries(shown.map(({ id }) => [id, 1]));
  if (wantsBody(contents)) return { ...rowMembers, values };
  const isBrief = { $gt: ['$brief', null] };
  return {
    ...rowMembers,
    values,
    rest: { $cond: [isBrief, '$brief', '$rest'] },
    parts: { $cond: [isBrief, 0, '$parts'] },
  };
};

/** Decodes a row; `parts` are joined long rests by group and ordinal. */
export const rowFromDocument = (
  document: Document,
  parts: ReadonlyMap<string, string>,
  contents?: WantedContents,
): RecordRow => {
  const stored = document as StoredRow;
  const { group, ordinal, kind, id, at, spans, annotators } = stored;
  const text = stored.parts === 0 ? stored.rest : (parts.get(partKey(stored)) ?? '');
  const rest = parseJsonText(text) as Partial<RowRest>;
  const { values, metrics = {}, userMetadata = {}, errors = {}, body = {} } = rest;
  const row: RecordRow = {
    group,
    ordinal,
    kind,
    metrics,
    userMetadata,
    errors,
    body,
    values: { ...values, ...stored.values, id, created_at: at },
    annotators,
    spanCount: spans,
  };
  return withContents(row, contents);
};

export const partKey = ({ group, ordinal }: Pick<StoredRow, 'group' | 'ordinal'>): string =>
  `${group} ${ordinal}`;
