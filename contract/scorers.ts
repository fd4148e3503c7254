import { Type, type Static, type TSchema } from 'typebox';
import { chainAggregations, nodeTypes, scoreTypes } from '../kernel/sandbox.js';
import {
  componentSchema,
  id,
  instant,
  nullish,
  name,
  namedSchema,
  nullable,
  oneOf,
  type Instant,
  type Json,
  type OrganizationId,
  type ScorerId,
  type UserId,
} from '../kernel/schema-types.js';
import { envelope, message, pageMembers, pageMembersOrNull } from './envelope.js';
import { listingFiltersMax, ownIdFilter, textFilter } from './listings.js';
import { operation } from './operation.js';
import { permission } from './people.js';
import { scorerPermissions } from './permissions.js';
import type { Principal } from './roles.js';
import { scorerFileBytesMax, scorerTaskResult } from './scorer-validation.js';

const rollUps = ['average', 'sum', 'max', 'min'] as const;
const threshold = namedSchema(
  'ThresholdInput',
  Type.Object({
    buckets: Type.Array(Type.Number(), { maxItems: 100 }),
    display_value_levels: Type.Array(Type.String({ maxLength: 255 }), { maxItems: 101 }),
    inverted: Type.Optional(Type.Boolean({ default: false })),
  }),
);
const shownThreshold = namedSchema(
  'Threshold',
  Type.Object({
    buckets: Type.Array(Type.Number()),
    display_value_levels: Type.Array(Type.String()),
    inverted: Type.Boolean(),
  }),
);
const nodeTypeList = Type.Array(oneOf(nodeTypes), { maxItems: nodeTypes.length });

const scorerVersion = namedSchema(
  'ScorerVersion',
  Type.Object({
    id: id('ScorerVersionId'),
    version: Type.Integer(),
    scorer_id: id('ScorerId'),
    score_type: oneOf(scoreTypes),
    scoreable_node_types: Type.Array(oneOf(nodeTypes)),
    chain_aggregation: nullable(oneOf(chainAggregations)),
    created_at: instant,
    updated_at: instant,
    created_by: id('UserId'),
  }),
);
export type ScorerVersion = Static<typeof scorerVersion>;

export const scorer = namedSchema(
  'Scorer',
  Type.Object({
    id: id('ScorerId'),
    name: Type.String(),
    label: Type.String(),
    description: Type.String(),
    tags: Type.Array(Type.String()),
    scorer_type: oneOf(['code', 'preset']),
    model_type: nullable(Type.Literal('code')),
    output_type: nullable(Type.String()),
    scoreable_node_types: Type.Array(oneOf(nodeTypes)),
    required_scorers: Type.Array(Type.String()),
    roll_up_method: nullable(oneOf(rollUps)),
    threshold: nullable(shownThreshold),
    defaults: Type.Null(),
    default_version_id: nullable(id('ScorerVersionId')),
    default_version: nullable(scorerVersion),
    latest_version: nullable(scorerVersion),
    deprecated: Type.Boolean(),
    ground_truth: Type.Boolean(),
    is_global: Type.Literal(true),
    scope_projects: Type.Array(Type.String()),
    /** Null for presets. */
    created_by: nullable(id('UserId')),
    created_at: instant,
    updated_at: instant,
    permissions: Type.Array(permission),
  }),
);

const details = {
  label: nullish(Type.String({ maxLength: 255 })),
  description: nullish(Type.String({ maxLength: 4_096 })),
  tags: nullish(Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 100 })),
  scoreable_node_types: nullish(nodeTypeList),
  required_scorers: nullish(
    Type.Array(Type.String({ minLength: 1, maxLength: 128 }), { maxItems: 100 }),
  ),
  output_type: nullish(Type.String({ maxLength: 64 })),
  roll_up_method: nullish(oneOf(rollUps)),
  threshold: nullish(threshold),
};
const scorerDetailsInput = Type.Object(details);
export type ScorerDetailsInput = Static<typeof scorerDetailsInput>;

const shared = { section: '5.10' } as const;
const path = '/v2/scorers';

export const createScorer = operation({
  ...shared,
  operationId: 'createScorer',
  summary: 'Create a code scorer',
  description: 'It scores nothing until a version with code is added.',
  example: {
    name: 'politeness',
    scorer_type: 'code',
    label: 'Politeness',
    roll_up_method: 'average',
  },
  method: 'POST',
  path,
  requires: 'creator',
  body: Type.Object({
    name: name(128),
    scorer_type: oneOf(['code']),
    id: nullish(id('ScorerId')),
    ...details,
  }),
  response: scorer,
  faults: ['already-exists'],
});

const scorerFilter = componentSchema<Json>('ScorerFilter');
const scorerSort = componentSchema<Json>('ScorerSort');

export const listScorers = operation({
  ...shared,
  operationId: 'listScorers',
  summary: 'Scorers of the organisation, filtered, sorted and paged',
  description:
    'With the presets that every organisation has. By name unless `sort` says otherwise.',
  example: {
    filters: [{ name: 'scorer_type', operator: 'eq', value: 'code' }],
    sort: { name: 'label' },
  },
  method: 'POST',
  path: `${path}/list`,
  kind: 'r',
  requires: 'signed-in',
  query: Type.Object(pageMembers),
  body: Type.Object({
    ...pageMembersOrNull,
    filters: nullish(Type.Array(scorerFilter, { maxItems: listingFiltersMax })),
    sort: nullish(scorerSort),
  }),
  response: envelope('scorers', scorer),
});

export const getScorer = operation({
  ...shared,
  operationId: 'getScorer',
  summary: 'One scorer',
  description: 'With its default and its latest version.',
  method: 'GET',
  path: `${path}/{scorer_id}`,
  requires: 'signed-in',
  response: scorer,
});

export const changeScorer = operation({
  ...shared,
  operationId: 'changeScorer',
  summary: 'Change the details of a code scorer',
  description: 'Members that are left out stay as they are; presets cannot be changed.',
  example: { label: 'Politeness of answers', description: 'Is the answer polite?' },
  method: 'PATCH',
  path: `${path}/{scorer_id}`,
  requires: 'scorer-owner',
  body: scorerDetailsInput,
  response: scorer,
});

export const deleteScorer = operation({
  ...shared,
  operationId: 'deleteScorer',
  summary: 'Delete a code scorer',
  description: 'Scores that it gave stay.',
  method: 'DELETE',
  path: `${path}/{scorer_id}`,
  requires: 'scorer-owner',
  response: message,
});

export const addScorerVersion = operation({
  ...shared,
  operationId: 'addScorerVersion',
  summary: 'Add a validated file as the newest version of a code scorer',
  description: 'The same file must have been found valid before.',
  example: { validation_result: { result: { result_type: 'valid' } } },
  method: 'POST',
  path: `${path}/{scorer_id}/version/code`,
  requires: 'scorer-owner',
  form: {
    files: { file: { required: true, bytesMax: scorerFileBytesMax } },
    parts: Type.Object({
      validation_result: scorerTaskResult,
    }),
    otherFiles: 'refused',
  },
  response: scorerVersion,
});

export const getScorerCode = operation({
  ...shared,
  operationId: 'getScorerCode',
  summary: 'The file of a version of a code scorer',
  description: 'Of the latest version, unless `version` names another.',
  method: 'GET',
  path: `${path}/{scorer_id}/version/code`,
  requires: 'signed-in',
  query: Type.Object({ version: Type.Optional(Type.Integer({ minimum: 1 })) }),
  response: Type.String(),
  media: 'text/x-python',
});

export const listScorerVersions = operation({
  ...shared,
  operationId: 'listScorerVersions',
  summary: 'Versions of a code scorer, newest first',
  description: 'Versions count from 1.',
  method: 'GET',
  path: `${path}/{scorer_id}/versions`,
  requires: 'signed-in',
  query: Type.Object(pageMembers),
  response: envelope('versions', scorerVersion),
});

export const scorerOperations = [
  createScorer,
  listScorers,
  getScorer,
  changeScorer,
  deleteScorer,
  addScorerVersion,
  getScorerCode,
  listScorerVersions,
];

/** Scorer as folded from the log. */
export type ScorerFacts = Omit<Static<typeof scorer>, 'permissions' | 'default_version_id'> & {
  readonly organization_id: OrganizationId;
};

export const scorerAnswer = (
  { organization_id: _organization, ...facts }: ScorerFacts,
  principal: Principal,
): Static<typeof scorer> => ({
  ...facts,
  default_version_id: facts.default_version?.id ?? null,
  permissions: [...scorerPermissions(ownsScorer(principal, facts.created_by))],
});

/**
 * True if the caller may change a scorer: its creator and admins (contract 2.6, rule 6), never with
 * a bound key.
 */
export const ownsScorer = (principal: Principal, createdBy: UserId | null): boolean =>
  createdBy !== null &&
  (principal.key?.projectId ?? null) === null &&
  (principal.organizationRole === 'admin' || createdBy === principal.userId);

/**
 * Presets, in every organisation with these ids; they are computed as records arrive (contract
 * 3.5).
 */
export const presetScorers = [
  { id: '5c0bed00-b1e0-4000-8000-000000000001' as ScorerId, name: 'bleu', label: 'BLEU' },
  { id: '5c0bed00-b1e0-4000-8000-000000000002' as ScorerId, name: 'rouge', label: 'ROUGE-L' },
] as const;

export const presetFacts = (
  preset: (typeof presetScorers)[number],
  organization: OrganizationId,
  since: Instant,
): ScorerFacts => ({
  id: preset.id,
  organization_id: organization,
  name: preset.name,
  label: `${preset.label} (deprecated)`,
  description: 'Overlap of output and reference; deprecated.',
  tags: [],
  scorer_type: 'preset',
  model_type: null,
  output_type: null,
  scoreable_node_types: [...(['llm', 'retriever', 'tool', 'agent', 'workflow', 'trace'] as const)],
  required_scorers: [],
  roll_up_method: 'average',
  threshold: null,
  defaults: null,
  default_version: null,
  latest_version: null,
  deprecated: true,
  ground_truth: true,
  is_global: true,
  scope_projects: [],
  created_by: null,
  created_at: since,
  updated_at: since,
});

/** OpenAPI components. */
export const scorerComponents: Readonly<Record<string, TSchema>> = {
  ScorerFilter: Type.Union(
    [textFilter('ScorerTextFilter', ['name', 'label', 'scorer_type']), ownIdFilter],
    { description: 'What scorers are chosen by; another name is a validation error.' },
  ),
  ScorerSort: Type.Object({
    name: oneOf(['name', 'label', 'created_at', 'updated_at']),
    ascending: Type.Optional(Type.Boolean({ default: true })),
    sort_type: Type.Optional(Type.Literal('column', { default: 'column' })),
  }),
};
