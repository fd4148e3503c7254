import { Type, type Static } from 'typebox';
import { type Complaint, valueComplaint } from '../kernel/fault.js';
import type { Population } from '../kernel/records/record.js';
import { nullish, namedSchema } from '../kernel/schema-types.js';
import { exampleIds } from './example-ids.js';
import { filterLeaf, filterNode, flatFiltersMax } from './filters.js';
import { operation } from './operation.js';
import { optionalWindow, runSelector, selectedRun } from './selectors.js';

/** Limit of one call (contract 5.7). */
export const deletedMax = 1_000;

/** Response members of a `dry_run`. */
export const dryRunMembers = {
  /** Number of all matches, however many one call deletes. */
  matched_count: Type.Optional(Type.Integer()),
  /** First matches, in the order in which calls delete them. */
  ids: Type.Optional(Type.Array(Type.String(), { maxItems: deletedMax })),
};

/**
 * Deletion body; a window narrows further, so that the body of a search deletes what that search
 * found.
 */
const deletionBody = namedSchema(
  'RecordDeletion',
  Type.Object({
    ...runSelector,
    filters: nullish(Type.Array(filterLeaf, { maxItems: flatFiltersMax })),
    filter_tree: nullish(filterNode),
    ...optionalWindow,
    dry_run: nullish(Type.Boolean({ default: false })),
  }),
);
export type RecordDeletion = Static<typeof deletionBody>;

const deletion = (operationId: string, population: Population) =>
  operation({
    operationId,
    summary: `Delete ${population}s, at most ${deletedMax} per call`,
    description:
      'Those that a search with the same members finds; at least one of them narrows. ' +
      'While `remaining` is true there are more: call again. With `dry_run` nothing is deleted: ' +
      '`matched_count` is how many match, `ids` are the first 1,000.',
    example: {
      log_stream_id: exampleIds.log_stream_id,
      filters: [{ type: 'text', name: 'name', operator: 'eq', value: 'book' }],
    },
    section: '5.7',
    method: 'POST',
    path: `/v2/projects/{project_id}/${population}s/delete`,
    requires: 'owner',
    unknownMembers: 'refused',
    body: deletionBody,
    response: namedSchema(
      'DeletedRecords',
      Type.Object({
        message: Type.String(),
        deleted_count: Type.Integer(),
        /** True if more records match: call again. */
        remaining: Type.Boolean(),
        ...dryRunMembers,
      }),
    ),
  });

export const deleteSessions = deletion('deleteSessions', 'session');
export const deleteTraces = deletion('deleteTraces', 'trace');

/** Refuses a request without a selection: to delete everything, delete the project. */
export const unchosenComplaints = (body: RecordDeletion): readonly Complaint[] =>
  selectedRun(body) === null && body.filter_tree == null && (body.filters?.length ?? 0) === 0
    ? [valueComplaint(['body'], 'name a run, filters or filter_tree')]
    : [];
