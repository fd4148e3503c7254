import { Type, type Static, type TSchema } from 'typebox';
import {
  id,
  instant,
  namedSchema,
  nullable,
  oneOf,
  type Json,
  type JsonObject,
} from '../kernel/schema-types.js';
import { type Complaint, valueComplaint } from '../kernel/fault.js';
import {
  historyResources,
  projectScopedResources,
  type HistoryResourceType,
} from '../kernel/history-resources.js';
import { parseAsOf } from './as-of.js';
import { defaultPageLimit, pageLimitMax } from './envelope.js';
import { operation } from './operation.js';

/** Limit of values per filter. */
const alternativesMax = 20;
const anyOf = <T extends TSchema>(one: T, description: string) =>
  Type.Optional(Type.Array(one, { maxItems: alternativesMax, description }));
const text = Type.String({ maxLength: 255 });
const patch = nullable(Type.Unsafe<JsonObject>(Type.Record(Type.String(), Type.Unknown())));

/** Resource that an event is about. */
export const historyResource = namedSchema(
  'HistoryResource',
  Type.Object({ type: oneOf(historyResources), id: Type.String() }),
);

const historyEntry = namedSchema(
  'HistoryEntry',
  Type.Object({
    seq: Type.Integer(),
    position: Type.String(),
    at: instant,
    event_id: Type.String({ format: 'uuid' }),
    event_type: Type.String(),
    schema_version: Type.Integer(),
    stream: Type.String(),
    revision: Type.Integer(),
    actor: namedSchema(
      'HistoryActor',
      Type.Object({
        type: oneOf(['user', 'api_key', 'system']),
        id: Type.String(),
        email: nullable(Type.String()),
        role: Type.String(),
      }),
    ),
    resource: historyResource,
    project_id: nullable(id('ProjectId')),
    request_id: nullable(Type.String()),
    correlation_id: nullable(Type.String()),
    causation_id: nullable(Type.String()),
    before: patch,
    after: patch,
    erased: Type.Boolean(),
    data_digest: Type.String(),
    prev_hash: Type.String(),
    hash: Type.String(),
  }),
);
export type HistoryEntry = Static<typeof historyEntry>;

const pageOfEntries = {
  entries: Type.Array(historyEntry),
  next_cursor: nullable(Type.String()),
  limit: Type.Integer(),
  head: namedSchema(
    'HistoryHead',
    Type.Object({ seq: Type.Integer(), position: Type.String(), hash: Type.String() }),
  ),
};
const historyPage = namedSchema('HistoryPage', Type.Object(pageOfEntries));
export type HistoryPage = Static<typeof historyPage>;

const paging = {
  order: Type.Optional(oneOf(['asc', 'desc'])),
  cursor: Type.Optional(
    Type.String({ maxLength: 500, description: '`next_cursor` of the page before.' }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: pageLimitMax, default: defaultPageLimit }),
  ),
};
const filters = {
  actor: anyOf(text, 'Ids of the users and keys that acted.'),
  event_type: anyOf(text, 'Types of the events, for example `RatingGiven`.'),
  resource_type: anyOf(oneOf(historyResources), 'What the event is about.'),
  resource_id: anyOf(text, 'Ids of the objects of the entries.'),
  start_time: Type.Optional(instant),
  end_time: Type.Optional(instant),
  technical: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Also reservations, idempotency, queues, row storage, rotations and seals.',
    }),
  ),
  ...paging,
};

export const listProjectHistory = operation({
  operationId: 'listProjectHistory',
  summary: 'History of a project, newest first',
  description:
    'A filter that is repeated means any of its values. A page may hold fewer entries than ' +
    '`limit` although `next_cursor` is not null.',
  section: '5.14',
  method: 'GET',
  path: '/v2/projects/{project_id}/history',
  unknownMembers: 'near misses refused',
  requires: 'audit-project',
  query: Type.Object(filters),
  response: historyPage,
});

export const listHistory = operation({
  operationId: 'listHistory',
  summary: 'History of the organisation, newest first',
  description: 'With `technical` it lists all that the hashes go over. Deleted projects stay here.',
  section: '5.14',
  method: 'GET',
  path: '/v2/history',
  unknownMembers: 'near misses refused',
  requires: 'audit-org',
  query: Type.Object({
    ...filters,
    project_id: anyOf(id('ProjectId'), 'Ids of the projects of the entries.'),
  }),
  response: historyPage,
});
export type HistoryQuery = Static<typeof listHistory.query>;

export const listResourceHistory = operation({
  operationId: 'listResourceHistory',
  summary: 'History of one resource, oldest first',
  description:
    'With `at` also `state`: the resource as its events up to there made it, null where it did ' +
    'not exist.',
  section: '5.14',
  method: 'GET',
  path: '/v2/history/{resource}/{id}',
  unknownMembers: 'near misses refused',
  requires: 'audit-resource',
  params: Type.Object({ resource: oneOf(historyResources), id: id('HistoryResourceId') }),
  query: Type.Object({
    project_id: Type.Optional(id('ProjectId')),
    at: Type.Optional(
      Type.String({ description: 'A position, or a date-time: the last event at or before it.' }),
    ),
    ...paging,
  }),
  response: namedSchema(
    'ResourceHistoryPage',
    Type.Object({
      ...pageOfEntries,
      state: Type.Optional(
        nullable(Type.Unsafe<JsonObject>(Type.Record(Type.String(), Type.Unknown()))),
      ),
    }),
  ),
});
type ResourceHistoryQuery = Static<typeof listResourceHistory.query>;

/** Complaints for the `check` of the route. */
export const resourceComplaints = (
  resource: HistoryResourceType,
  { project_id, at }: ResourceHistoryQuery,
): readonly Complaint[] => [
  ...(projectScopedResources.includes(resource) && project_id === undefined
    ? [{ loc: ['query', 'project_id'], msg: 'Field required', type: 'missing' }]
    : []),
  ...(at === undefined || parseAsOf(at) !== null
    ? []
    : [valueComplaint(['query', 'at'], 'neither a position nor a date-time')]),
];

const seq = Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }));
const verifyReasons = [
  'data',
  'entry',
  'missing',
  'extra',
  'order',
  'moved',
  'erased',
  'seal',
] as const;
export type VerifyReason = (typeof verifyReasons)[number];

const found = nullable(Type.Unsafe<Json>(Type.Union([Type.String(), Type.Integer()])));

export const verifyHistory = operation({
  operationId: 'verifyHistory',
  summary: 'Recompute the history from the log',
  description:
    'Compares every entry with its event, and digests with the data that still exist. A call ' +
    'ends after 10 s or 1,000,000 events: `next_seq` is where to go on.',
  section: '5.14',
  method: 'GET',
  path: '/v2/history/verify',
  requires: 'audit-org',
  query: Type.Object({ from_seq: seq, to_seq: seq }),
  response: namedSchema(
    'HistoryVerdict',
    Type.Object({
      status: oneOf(['intact', 'broken']),
      checked: Type.Integer(),
      erased: Type.Integer(),
      from_seq: Type.Integer(),
      to_seq: Type.Integer(),
      head_hash: Type.String(),
      next_seq: nullable(Type.Integer()),
      sealed: nullable(
        namedSchema(
          'HistorySealed',
          Type.Object({ seq: Type.Integer(), root: Type.String(), at: instant }),
        ),
      ),
      broken_at: nullable(
        namedSchema(
          'HistoryBreak',
          Type.Object({
            seq: Type.Integer(),
            reason: oneOf(verifyReasons),
            expected: found,
            found,
          }),
        ),
      ),
    }),
  ),
  faults: ['not-found'],
});
/** Complaints for the `check` of the route. */
export const rangeComplaints = ({
  from_seq = 1,
  to_seq = from_seq,
}: Static<typeof verifyHistory.query>): readonly Complaint[] =>
  from_seq > to_seq
    ? [valueComplaint(['query', 'to_seq'], 'to_seq must not be less than from_seq')]
    : [];
export type HistoryVerdict = Static<typeof verifyHistory.response>;

export const historyOperations = [
  listProjectHistory,
  listHistory,
  verifyHistory,
  listResourceHistory,
];
