import { Type, type Static } from 'typebox';
import {
  id,
  instant,
  nullish,
  name,
  namedSchema,
  nullable,
  type Instant,
  type ProjectId,
  type RunId,
  type UserId,
} from '../kernel/schema-types.js';
import { envelope, pageMembers, plainListMax } from './envelope.js';
import { listingBody } from './listings.js';
import { operation } from './operation.js';
import { userBlock, type UserBlock } from './people.js';

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

const inProject = Type.Object({ project_id: id('ProjectId') });
const inLogStream = Type.Object({ project_id: id('ProjectId'), log_stream_id: id('RunId') });
const counts = { include_counts: Type.Optional(Type.Boolean({ default: false })) };
const path = '/v2/projects/{project_id}/log_streams';

export const createLogStream = operation({
  operationId: 'createLogStream',
  summary: 'Create a log stream',
  description: 'Names are unique among the log streams of the project.',
  example: { name: 'production' },
  section: '5.5',
  method: 'POST',
  path,
  kind: 'w',
  requires: 'editor',
  params: inProject,
  body: Type.Object({ name: name() }),
  response: logStream,
  faults: ['not-found', 'forbidden', 'already-exists'],
});

export const listLogStreams = operation({
  operationId: 'listLogStreams',
  summary: 'Log streams of a project',
  description: 'At most 1,000; counts are null unless requested.',
  section: '5.5',
  method: 'GET',
  path,
  kind: 'r',
  requires: 'viewer',
  params: inProject,
  query: Type.Object(counts),
  response: Type.Array(logStream, { maxItems: plainListMax }),
  faults: ['not-found'],
});

export const pageLogStreams = operation({
  operationId: 'pageLogStreams',
  summary: 'Log streams of a project, paged',
  description: 'Counts are null unless requested.',
  section: '5.5',
  method: 'GET',
  path: `${path}/paginated`,
  kind: 'r',
  requires: 'viewer',
  params: inProject,
  query: Type.Object({ ...pageMembers, ...counts }),
  response: envelope('log_streams', logStream),
  faults: ['not-found'],
});

export const searchLogStreams = operation({
  operationId: 'searchLogStreams',
  summary: 'Log streams of a project, filtered, sorted and paged',
  description: 'Counts are null unless requested.',
  example: {
    filters: [{ name: 'name', operator: 'eq', value: 'production' }],
    sort: { name: 'created_at', ascending: false },
    limit: 10,
  },
  section: '5.5',
  method: 'POST',
  path: `${path}/search`,
  kind: 'r',
  requires: 'viewer',
  params: inProject,
  body: Type.Object({ ...listingBody.properties, include_counts: nullish(Type.Boolean()) }),
  response: envelope('log_streams', logStream),
  faults: ['not-found'],
});

export const getLogStream = operation({
  operationId: 'getLogStream',
  summary: 'One log stream',
  description: 'Counts of its records are null here.',
  section: '5.5',
  method: 'GET',
  path: `${path}/{log_stream_id}`,
  kind: 'r',
  requires: 'viewer',
  params: inLogStream,
  response: logStream,
  faults: ['not-found'],
});

export const renameLogStream = operation({
  operationId: 'renameLogStream',
  summary: 'Rename a log stream',
  description: 'Its records stay where they are.',
  example: { name: 'production eu' },
  section: '5.5',
  method: 'PUT',
  path: `${path}/{log_stream_id}`,
  kind: 'w',
  requires: 'editor',
  params: inLogStream,
  body: Type.Object({ name: name() }),
  response: logStream,
  faults: ['not-found', 'forbidden', 'already-exists'],
});

export const deleteLogStream = operation({
  operationId: 'deleteLogStream',
  summary: 'Delete a log stream with its records',
  description: 'Its records are not found at once and are erased.',
  section: '5.5',
  method: 'DELETE',
  path: `${path}/{log_stream_id}`,
  kind: 'w',
  requires: 'owner',
  params: inLogStream,
  response: Type.Null(),
  status: 204,
  faults: ['not-found', 'forbidden'],
});

export const logStreamOperations = [
  createLogStream,
  listLogStreams,
  pageLogStreams,
  searchLogStreams,
  getLogStream,
  renameLogStream,
  deleteLogStream,
];

/** Log stream as folded from the log, in the form that is shown. */
export type LogStreamFacts = {
  readonly id: RunId;
  readonly name: string;
  readonly project_id: ProjectId;
  readonly created_at: Instant;
  readonly updated_at: Instant;
  readonly created_by: UserId;
};
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
