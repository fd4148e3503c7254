import { Type, type Static } from 'typebox';
import {
  id,
  instant,
  nullish,
  namedSchema,
  nullable,
  oneOf,
  type UserId,
} from '../kernel/schema-types.js';
import { operation } from './operation.js';
import { dryRunMembers } from './record-deletions.js';

export const deleteByMetadataJob = 'delete_by_metadata';
const statuses = ['pending', 'processing', 'completed', 'failed'] as const;
export type OrgJobStatus = (typeof statuses)[number];

const result = namedSchema(
  'OrgJobResult',
  Type.Object({
    projects: Type.Integer(),
    sessions: Type.Integer(),
    traces: Type.Integer(),
    spans: Type.Integer(),
  }),
);
export type OrgJobResult = Static<typeof result>;

export const orgJob = namedSchema(
  'OrgJob',
  Type.Object({
    id: id('OrgJobId'),
    organization_id: id('OrganizationId'),
    job_name: Type.String(),
    status: oneOf(statuses),
    request_data: namedSchema(
      'OrgJobRequest',
      Type.Object({
        metadata_key: Type.String(),
        /** `[redacted]` except for `admin`. */
        metadata_value: Type.String(),
        immediate: Type.Boolean(),
      }),
    ),
    created_at: instant,
    updated_at: instant,
    error_message: nullable(Type.String()),
    created_by: nullable(id('UserId')),
    /** Number of records deleted so far; null while pending. */
    result: nullable(result),
  }),
);

export const deleteByMetadata = operation({
  operationId: 'deleteByMetadata',
  summary: 'Delete all sessions and traces of the organisation that have a metadata entry',
  description:
    'Runs in the background: poll the job. Its texts cannot be restored. With `dry_run` no job ' +
    'is made: `matched` says what it would delete, `ids` are the first 1,000.',
  example: { metadata_key: 'customer', metadata_value: 'acme' },
  section: '5.13',
  method: 'POST',
  path: '/v2/org-jobs/delete-by-metadata',
  requires: 'admin',
  unknownMembers: 'refused',
  query: Type.Object({ immediate: Type.Optional(Type.Boolean({ default: false })) }),
  body: Type.Object({
    metadata_key: Type.String({ minLength: 1, maxLength: 256 }),
    metadata_value: Type.String({ maxLength: 4_096 }),
    dry_run: nullish(Type.Boolean({ default: false })),
  }),
  response: Type.Object({
    /** Null with `dry_run`: there is no job. */
    job_id: nullable(id('OrgJobId')),
    message: Type.String(),
    /** With `dry_run`: the `result` of a job that would begin now. */
    matched: Type.Optional(result),
    ...dryRunMembers,
    /** With `dry_run`: true when more match than are counted (contract 1.11). */
    more: Type.Optional(Type.Boolean()),
  }),
});

/** Dry-run limit of sessions and of traces (contract 1.11). */
export const dryRunCountedMax = 100_000;

export const getOrgJob = operation({
  operationId: 'getOrgJob',
  summary: 'Read an organisation job',
  description: '`metadata_value` is shown to admins only.',
  section: '4.14',
  method: 'GET',
  path: '/v2/org-jobs/{job_id}',
  schemes: ['K', 'B'],
  requires: 'org-job',
  params: Type.Object({ job_id: id('OrgJobId') }),
  response: orgJob,
});

export const orgJobOperations = [deleteByMetadata, getOrgJob];

/** Job as folded from the log; the rest of the response depends on the caller. */
export type OrgJobFacts = Omit<Static<typeof orgJob>, 'request_data' | 'created_by'> & {
  readonly metadata_key: string;
  readonly value_sealed: string;
  readonly immediate: boolean;
  readonly created_by: UserId;
};

export const orgJobAnswer = (
  facts: OrgJobFacts,
  metadata_value: string,
  created_by: UserId | null,
): Static<typeof orgJob> => ({
  id: facts.id,
  organization_id: facts.organization_id,
  job_name: facts.job_name,
  status: facts.status,
  request_data: {
    metadata_key: facts.metadata_key,
    metadata_value,
    immediate: facts.immediate,
  },
  created_at: facts.created_at,
  updated_at: facts.updated_at,
  error_message: facts.error_message,
  created_by,
  result: facts.result,
});
