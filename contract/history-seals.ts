import { Type, type Static } from 'typebox';
import { id, instant, namedSchema, nullable, oneOf } from '../kernel/schema-types.js';
import { type Complaint, valueComplaint } from '../kernel/fault.js';
import { defaultPageLimit, pageLimitMax } from './envelope.js';
import { historyResource } from './history.js';
import { operation } from './operation.js';

/** Time limit of the search for an entry by event id; older ones are addressed by `seq`. */
export const provenByIdMs = 10_000;

const audited = {
  section: '5.14',
  method: 'GET',
  requires: 'audit-org',
} as const;
const size = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

export const readCheckpoint = operation({
  ...audited,
  operationId: 'readCheckpoint',
  summary: 'The newest seal of the history, as a checkpoint',
  description:
    'A C2SP tlog-checkpoint: origin, size and root, signed. Keep it somewhere else: a history ' +
    'that was written anew later does not continue it.',
  path: '/v2/history/checkpoint',
  media: 'text/plain',
  response: Type.String(),
  faults: ['not-found'],
});

const historySeal = namedSchema(
  'HistorySeal',
  Type.Object({
    size: Type.Integer(),
    root: Type.String(),
    head_hash: Type.String(),
    position: Type.String(),
    at: instant,
    note: Type.String(),
    witnesses: Type.Array(Type.String()),
  }),
);

export const listSeals = operation({
  ...audited,
  operationId: 'listSeals',
  summary: 'Seals of the history, newest first',
  description:
    'Each covers the entries up to `size` and continues the one before: it was proven before it ' +
    'was signed.',
  path: '/v2/history/seals',
  query: Type.Object({
    cursor: Type.Optional(Type.String({ description: '`next_cursor` of the page before.' })),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: pageLimitMax, default: defaultPageLimit }),
    ),
  }),
  response: namedSchema(
    'HistorySealPage',
    Type.Object({ seals: Type.Array(historySeal), next_cursor: nullable(Type.String()) }),
  ),
});

export const sealsCursor = (cursor: string | undefined): number | null =>
  cursor === undefined ? null : Number(cursor);
export const sealsComplaints = ({ cursor }: { readonly cursor?: string }): readonly Complaint[] =>
  cursor === undefined || /^[1-9]\d{0,15}$/.test(cursor)
    ? []
    : [valueComplaint(['query', 'cursor'], 'not a cursor of this list')];

export const listSealingKeys = operation({
  section: '5.14',
  method: 'GET',
  requires: 'public',
  schemes: [],
  operationId: 'listSealingKeys',
  summary: 'All keys that seals were ever signed with',
  description:
    'A JWK set. An auditor takes the key from elsewhere once and compares: a key from the ' +
    'service cannot vouch for the service.',
  path: '/v2/history/keys',
  response: namedSchema(
    'SealingKeySet',
    Type.Object({
      keys: Type.Array(
        namedSchema(
          'SealingKey',
          Type.Object({
            kid: Type.String(),
            kty: Type.String(),
            crv: Type.String(),
            x: Type.String(),
            y: Type.Optional(Type.String()),
            use: Type.Literal('sig'),
            alg: oneOf(['ES256', 'EdDSA']),
            vkey: Type.String(),
          }),
        ),
      ),
    }),
  ),
});

/** Hashed members of an entry, and its place. */
const provenEntry = namedSchema(
  'ProvenHistoryEntry',
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
      'ProvenHistoryActor',
      Type.Object({
        type: oneOf(['user', 'api_key', 'system']),
        id: Type.String(),
        role: Type.String(),
      }),
    ),
    resource: historyResource,
    project_id: nullable(id('ProjectId')),
    organization_id: nullable(id('OrganizationId')),
    request_id: nullable(Type.String()),
    correlation_id: nullable(Type.String()),
    causation_id: nullable(Type.String()),
    erased: Type.Boolean(),
    data_digest: Type.String(),
    prev_hash: Type.String(),
    hash: Type.String(),
  }),
);

export const proveEntry = operation({
  ...audited,
  operationId: 'proveEntry',
  summary: 'Prove that an entry is in a sealed history',
  description:
    'Exactly one of `event_id` and `seq`; an id is looked for from the newest entry on for 10 s. ' +
    '`proof` is a C2SP tlog-proof for the leaf SHA-256(0x00, `hash`).',
  path: '/v2/history/proof',
  requires: 'audit-resource',
  query: Type.Object({
    event_id: Type.Optional(id('EventId')),
    seq: Type.Optional(size),
    size: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Size of the seal; absent: that of the newest one.',
      }),
    ),
  }),
  response: namedSchema(
    'HistoryProof',
    Type.Object({
      entry: provenEntry,
      salt: nullable(Type.String()),
      data: nullable(Type.String()),
      proof: Type.String(),
    }),
  ),
  faults: ['not-found'],
});

export type ProofQuery = Static<typeof proveEntry.query>;
export type HistoryProof = Static<typeof proveEntry.response>;

export const proofComplaints = ({
  event_id,
  seq,
}: {
  readonly event_id?: string;
  readonly seq?: number;
}): readonly Complaint[] =>
  (event_id === undefined) === (seq === undefined)
    ? [valueComplaint(['query', 'event_id'], 'give exactly one of event_id and seq')]
    : [];

export const proveConsistency = operation({
  ...audited,
  operationId: 'proveConsistency',
  summary: 'Prove that an earlier history is a prefix of a later one',
  description: 'Consistency proof (RFC 9162, 2.1.4): compares a stored checkpoint with today’s.',
  path: '/v2/history/consistency',
  query: Type.Object({ from: size, to: size }),
  response: namedSchema(
    'HistoryConsistency',
    Type.Object({
      from: Type.Integer(),
      to: Type.Integer(),
      from_root: Type.String(),
      to_root: Type.String(),
      hashes: Type.Array(Type.String()),
    }),
  ),
  faults: ['not-found'],
});

export const consistencyComplaints = ({
  from,
  to,
}: {
  readonly from: number;
  readonly to: number;
}): readonly Complaint[] =>
  from > to ? [valueComplaint(['query', 'to'], 'a history ends no sooner than its beginning')] : [];

export const historySealOperations = [
  readCheckpoint,
  listSeals,
  listSealingKeys,
  proveEntry,
  proveConsistency,
];
