import type { NoteHeader, Operation } from '../../contract/operation.js';
import type { JsonChunks } from '../../kernel/json-chunks.js';
import { joinNames, truncateNames } from './ignored-members.js';

/**
 * Note on a part of the request that a 2xx did not process (contract 1.13): sent as a header, and
 * as a member of a response that is a JSON object.
 */
export type AnswerNote =
  | 'ignored_members'
  | 'unknown_columns'
  | 'new_columns'
  | 'left_out_metrics'
  | 'unfit_metrics'
  | 'scorers_without_version'
  | 'more_rows';

export const noteByHeader: Readonly<Record<NoteHeader, AnswerNote>> = {
  'X-Unknown-Columns': 'unknown_columns',
  'X-New-Columns': 'new_columns',
  'X-Left-Out-Metrics': 'left_out_metrics',
  'X-Unfit-Metrics': 'unfit_metrics',
  'X-Scorers-Without-Version': 'scorers_without_version',
  'X-More-Rows': 'more_rows',
};
const headerByNote: Readonly<Record<AnswerNote, string>> = {
  ignored_members: 'X-Ignored-Members',
  unknown_columns: 'X-Unknown-Columns',
  new_columns: 'X-New-Columns',
  left_out_metrics: 'X-Left-Out-Metrics',
  unfit_metrics: 'X-Unfit-Metrics',
  scorers_without_version: 'X-Scorers-Without-Version',
  more_rows: 'X-More-Rows',
};

/** Notes of one request. */
export type AnswerNotes = {
  /** Adds a note; without names it does nothing. */
  readonly add: (note: AnswerNote, names: readonly string[]) => void;
  /** Notes by member; null without any. */
  readonly members: () => Readonly<Record<string, readonly string[]>> | null;
};

/** Collects notes; `setHeader` sets a header of the response. */
export const openAnswerNotes = (
  setHeader: (header: string, value: string) => void,
): AnswerNotes => {
  const members: Partial<Record<AnswerNote, readonly string[]>> = {};
  return {
    add: (note, names) => {
      if (names.length === 0) return;
      const shown = truncateNames(names);
      members[note] = shown;
      setHeader(headerByNote[note], joinNames(shown));
    },
    members: () => (Object.keys(members).length === 0 ? null : members),
  };
};

/**
 * True if a response may have members for notes. Responses that others specify keep their members:
 * those of the interface document (contract 4), those in protobuf, and public documents, whose
 * texts are built once and not for each caller.
 */
export const takesNoteMembers = ({ section, protobuf, kind, requires }: Operation): boolean =>
  !section.startsWith('4.') && protobuf === null && !(kind === 'r' && requires === 'public');

/** Appends members to the text of a non-empty object. */
export const appendMembers = (json: JsonChunks, members: object): JsonChunks => {
  const last = json.at(-1);
  if (last === undefined) return json;
  const more = JSON.stringify(members).slice(1);
  return [...json.slice(0, -1), last.subarray(0, -1), Buffer.from(`,${more}`)];
};
