import { Type, type Static } from 'typebox';
import { type Complaint, valueComplaint } from '../kernel/fault.js';
import { id, instant, oneOf } from '../kernel/schema-types.js';
import { historyResources, projectScopedResources } from '../kernel/history-resources.js';
import { parseAsOf } from './as-of.js';
import { operation } from './operation.js';

/** Limits after which an export ends with a cursor (contract 5.14). */
export const exportLinesMax = 100_000;
export const exportMs = 60_000;
export const feedLines = 1_000;

const lines = {
  section: '5.14',
  method: 'GET',
  unknownMembers: 'near misses refused',
  media: 'application/x-ndjson',
  response: Type.String(),
} as const;
const bound = (description: string) => Type.Optional(Type.String({ maxLength: 64, description }));
const cursor = Type.Optional(
  Type.String({ maxLength: 1_000, description: '`next_cursor` of the answer before.' }),
);

export const exportHistory = operation({
  ...lines,
  operationId: 'exportHistory',
  summary: 'The history as lines of a bundle that can be checked without the service',
  description:
    'The first line is `{"begun", "cursor"}`: what the bundle is of, with the seal that it is ' +
    'checked by; the last one `{"next_cursor"}`. Between them are entries with their data as ' +
    'stored, and hashes in place of those that were not selected. verifier/ALGORITHM.md has ' +
    'the steps of the check.',
  path: '/v2/history/export',
  requires: 'audit-resource',
  query: Type.Object({
    project_id: Type.Optional(id('ProjectId')),
    resource_type: Type.Optional(oneOf(historyResources)),
    resource_id: Type.Optional(Type.String({ maxLength: 255 })),
    from: bound('A position or a date-time: entries before it are left out.'),
    to: bound('A position or a date-time: entries after it are left out.'),
    start_time: Type.Optional(instant),
    end_time: Type.Optional(instant),
    cursor,
  }),
  faults: ['not-found'],
});
export type HistoryExportQuery = Static<typeof exportHistory.query>;

const boundComplaints = ({
  from,
  to,
  start_time,
  end_time,
}: HistoryExportQuery): readonly Complaint[] =>
  Object.entries({ from, to }).flatMap(([name, written]) => {
    if (written === undefined) return [];
    const complaint = (sentence: string) => valueComplaint(['query', name], sentence);
    if (parseAsOf(written) === null) return [complaint('neither a position nor a date-time')];
    const [timeName, time] = name === 'to' ? ['end_time', end_time] : ['start_time', start_time];
    return time === undefined ? [] : [complaint(`either this or ${timeName}`)];
  });

export const exportComplaints = (query: HistoryExportQuery): readonly Complaint[] => {
  const { project_id, resource_type: type, resource_id } = query;
  const missing = (name: string): Complaint => ({
    loc: ['query', name],
    msg: 'Field required',
    type: 'missing',
  });
  return [
    ...(type !== undefined && projectScopedResources.includes(type) && project_id === undefined
      ? [missing('project_id')]
      : []),
    ...(type !== undefined && resource_id === undefined ? [missing('resource_id')] : []),
    ...(type === undefined && resource_id !== undefined ? [missing('resource_type')] : []),
    ...boundComplaints(query),
  ];
};

export const historyFeed = operation({
  ...lines,
  operationId: 'historyFeed',
  summary: 'Feed of audit events for a collector, one event per line',
  description:
    'CloudEvents 1.0 or OCSF 1.7, oldest first, at most 1,000 lines. The last line is ' +
    '`{"next_cursor"}`: send it with the next request, also after an empty one.',
  path: '/v2/history/feed',
  requires: 'audit-org',
  query: Type.Object({
    cursor,
    format: Type.Optional(oneOf(['cloudevents', 'ocsf'])),
    records: Type.Optional(
      Type.Boolean({ default: false, description: 'Also events of traces and sessions.' }),
    ),
  }),
});

/** Cursor: `seq` at which a feed continues. */
export const parseFeedCursor = (written: string | undefined): number =>
  written === undefined ? 1 : Number(written);
export const feedComplaints = ({
  cursor: written,
}: {
  readonly cursor?: string;
}): readonly Complaint[] =>
  written === undefined || /^[1-9]\d{0,14}$/.test(written)
    ? []
    : [valueComplaint(['query', 'cursor'], 'not a cursor of this feed')];

const uuid = (description: string) => Type.Optional(Type.String({ format: 'uuid', description }));

export const certifyErasure = operation({
  ...lines,
  operationId: 'certifyErasure',
  summary: 'Certificate of an erasure: what was erased, proofs and a signed statement',
  description:
    'Exactly one of the parameters. A line is an entry with its place in the sealed tree; the ' +
    'last one is `{"certificate", "jws"}`, which says in words what is proven and what is only ' +
    'attested. 409 while the content is not erased or the erasure not sealed.',
  path: '/v2/history/certificate',
  requires: 'audit-org',
  query: Type.Object({
    deletion_id: uuid('Id of the deletion of records.'),
    job_id: uuid('Id of the deletion by metadata.'),
    run_id: uuid('Id of the deleted log stream or experiment.'),
    dataset_id: uuid('Id of the deleted dataset.'),
    project_id: uuid('Id of the deleted project.'),
  }),
  faults: ['not-found', 'conflict'],
});
export type CertificateQuery = Static<typeof certifyErasure.query>;

export const certificateComplaints = (query: CertificateQuery): readonly Complaint[] =>
  Object.values(query).filter((one) => one !== undefined).length === 1
    ? []
    : [valueComplaint(['query'], 'name exactly one thing that was deleted')];

export const historyExportOperations = [exportHistory, historyFeed, certifyErasure];
