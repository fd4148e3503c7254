import { Type, type Static } from 'typebox';
import { id, instant, nullish, name, namedSchema, nullable } from '../kernel/schema-types.js';
import { listingBody } from './listings.js';
import { operation } from './operation.js';
import { userBlock, type UserBlock } from './people.js';
import { runLists } from './run-lists.js';

export const logStream = namedSchema(
  'LogStream',
  Type.Object({
    id: id('RunId'),
    name: Type.String(),
    project_id: id('ProjectId'),
    created_at: instant,
    /**
     * Time of the last change of the log stream itself, not of its records; at first `created_at`.
     */
    updated_at: instant,
    created_by: id('UserId'),
    created_by_user: userBlock,
    /** Null unless requested with `include_counts`. */
    num_spans: nullable(Type.Integer()),
    num_traces: nullable(Type.Integer()),
    has_user_created_sessions: nullable(Type.Boolean()),
  }),
);

const path = '/v2/projects/{project_id}/log_streams';

export const createLogStream = operation({
  operationId: 'createLogStream',
  summary: 'Create a log stream',
  description: 'Names are unique among the log streams of the project.',
  example: { name: 'production' },
  section: '5.5',
  method: 'POST',
  path,
  requires: 'editor',
  body: Type.Object({ name: name() }),
  response: logStream,
  faults: ['already-exists'],
});

export const logStreamLists = runLists({
  list: 'log_streams',
  plural: 'Log streams',
  record: logStream,
  search: {
    description: 'Counts are null unless requested.',
    example: {
      filters: [{ name: 'name', operator: 'eq', value: 'production' }],
      sort: { name: 'created_at', ascending: false },
      limit: 10,
    },
    section: '5.5',
    query: Type.Object({}),
    body: Type.Object({ ...listingBody.properties, include_counts: nullish(Type.Boolean()) }),
  },
});

export const getLogStream = operation({
  operationId: 'getLogStream',
  summary: 'One log stream',
  description: 'Counts of its records are null here.',
  section: '5.5',
  method: 'GET',
  path: `${path}/{log_stream_id}`,
  requires: 'viewer',
  response: logStream,
});

export const renameLogStream = operation({
  operationId: 'renameLogStream',
  summary: 'Rename a log stream',
  description: 'Its records stay where they are.',
  example: { name: 'production eu' },
  section: '5.5',
  method: 'PUT',
  path: `${path}/{log_stream_id}`,
  requires: 'editor',
  body: Type.Object({ name: name() }),
  response: logStream,
  faults: ['already-exists'],
});

export const deleteLogStream = operation({
  operationId: 'deleteLogStream',
  summary: 'Delete a log stream with its records',
  description: 'Its records are not found at once and are erased.',
  section: '5.5',
  method: 'DELETE',
  path: `${path}/{log_stream_id}`,
  requires: 'owner',
  response: Type.Null(),
  status: 204,
});

export const logStreamOperations = [
  createLogStream,
  logStreamLists.list,
  logStreamLists.page,
  logStreamLists.search,
  getLogStream,
  renameLogStream,
  deleteLogStream,
];

/** Log stream as folded from the log, in the form that is shown. */
export type LogStreamFacts = Omit<
  Static<typeof logStream>,
  'created_by_user' | 'num_spans' | 'num_traces' | 'has_user_created_sessions'
>;
export type LogStreamCounts = {
  readonly num_spans: number | null;
  readonly num_traces: number | null;
  readonly has_user_created_sessions: boolean | null;
};
export const notCounted: LogStreamCounts = {
  num_spans: null,
  num_traces: null,
  has_user_created_sessions: null,
};

export const logStreamAnswer = (
  facts: LogStreamFacts,
  created_by_user: UserBlock,
  counts: LogStreamCounts,
): Static<typeof logStream> => ({ ...facts, created_by_user, ...counts });
