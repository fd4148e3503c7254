import { Type, type Static } from 'typebox';
import {
  id,
  namedSchema,
  nullable,
  nullish,
  oneOf,
  type IntegrationId,
} from '../kernel/schema-types.js';
import { providers } from './integration-providers.js';
import { operation } from './operation.js';

/** Bounds of contract 5.17: typing errors are refused, real uses are not. */
const dollarsMax = 1_000_000;
const dailyCallsMax = 10_000_000;
const callsPerMinuteMax = 100_000;

const dollars = (ofDefault: { readonly default?: number } = {}) =>
  Type.Number({ minimum: 0, maximum: dollarsMax, ...ofDefault });
const modelName = Type.String({ minLength: 1, maxLength: 255 });

/** Settings until they are set (contract 5.17). */
const defaultModelSettings: ModelSettings = {
  default_model: null,
  judge_model: null,
  daily_budget: 5,
  daily_calls: 5_000,
  allow_unpriced: false,
  name_clusters: false,
};
/** Calls a minute of a lending that names no limit. */
export const defaultCallsPerMinute = 60;

const lending = {
  integration_id: id('IntegrationId'),
  provider: oneOf(providers),
  lent_by: id('UserId'),
  daily_budget: nullable(dollars()),
  calls_per_minute: Type.Integer(),
};
const settings = {
  default_model: nullable(Type.String()),
  judge_model: nullable(Type.String()),
  daily_budget: dollars(),
  daily_calls: Type.Integer(),
  allow_unpriced: Type.Boolean(),
  name_clusters: Type.Boolean(),
};
const lentIntegration = namedSchema(
  'LentIntegration',
  Type.Object({
    ...lending,
    state: oneOf(['usable', 'disabled', 'deleted', 'not_editor']),
    models: Type.Array(Type.String()),
  }),
);
const modelAccess = namedSchema(
  'ModelAccess',
  Type.Object({ integrations: Type.Array(lentIntegration), ...settings }),
);

const lendingSchema = Type.Object(lending);
const settingsSchema = Type.Object(settings);
/** An integration that is lent to a project, with the limits of the lending. */
export type Lending = Readonly<Static<typeof lendingSchema>>;
export type ModelSettings = Readonly<Static<typeof settingsSchema>>;
/** A lending as it is now: whether it may be called, and for which models. */
export type LentIntegration = Static<typeof lentIntegration>;

const path = '/v2/projects/{project_id}/model_access';
const shared = {
  section: '5.17',
  response: modelAccess,
} as const;

export const getModelAccess = operation({
  ...shared,
  operationId: 'getModelAccess',
  summary: 'Integrations that a project may call, with budgets and default models',
  description: 'In the order in which they were lent; with default settings until some are set.',
  method: 'GET',
  path,
  requires: 'viewer',
});

export const setModelAccess = operation({
  ...shared,
  operationId: 'setModelAccess',
  summary: 'Set the budgets and default models of a project',
  description: 'Replaces all settings; integrations stay lent.',
  example: { default_model: 'openai/gpt-4o-mini', daily_budget: 20, daily_calls: 10_000 },
  method: 'PUT',
  path,
  requires: 'owner',
  conditional: true,
  body: Type.Object(
    {
      default_model: nullish(modelName),
      judge_model: nullish(modelName),
      daily_budget: nullish(dollars({ default: defaultModelSettings.daily_budget })),
      daily_calls: nullish(
        Type.Integer({
          minimum: 0,
          maximum: dailyCallsMax,
          default: defaultModelSettings.daily_calls,
        }),
      ),
      allow_unpriced: nullish(Type.Boolean({ default: false })),
      name_clusters: nullish(Type.Boolean({ default: false })),
    },
    { additionalProperties: false },
  ),
});

export const lendIntegration = operation({
  ...shared,
  operationId: 'lendIntegration',
  summary: "Lend the caller's integration to a project, or change its limits",
  description: 'The project calls models with it until the lending ends; others never see it.',
  example: { daily_budget: 2, calls_per_minute: 120 },
  method: 'PUT',
  path: `${path}/integrations/{integration_id}`,
  requires: 'lender',
  conditional: true,
  body: Type.Object(
    {
      daily_budget: nullish(dollars()),
      calls_per_minute: nullish(
        Type.Integer({ minimum: 1, maximum: callsPerMinuteMax, default: defaultCallsPerMinute }),
      ),
    },
    { additionalProperties: false },
  ),
});

export const endIntegrationLending = operation({
  ...shared,
  operationId: 'endIntegrationLending',
  summary: 'End the lending of an integration to a project',
  description: 'By the user who lent it, or by an owner of the project.',
  method: 'DELETE',
  path: `${path}/integrations/{integration_id}`,
  requires: 'lender',
  conditional: true,
});

export const modelAccessOperations = [
  getModelAccess,
  setModelAccess,
  lendIntegration,
  endIntegrationLending,
];

/** Model access of a project as folded from the log. */
export type ModelAccess = {
  /** In the order in which they were lent; one of a provider. */
  readonly lendings: readonly Lending[];
  readonly settings: ModelSettings;
  /** Number of changes, from 0; the entity tag. */
  readonly changes: number;
};
export const noModelAccess: ModelAccess = {
  lendings: [],
  settings: defaultModelSettings,
  changes: 0,
};

/** Lendings with this one, in the place of an earlier lending of the same integration. */
export const withLending = (lendings: readonly Lending[], added: Lending): readonly Lending[] =>
  lendings.some(({ integration_id: known }) => known === added.integration_id)
    ? lendings.map((one) => (one.integration_id === added.integration_id ? added : one))
    : [...lendings, added];

export const withoutLending = (
  lendings: readonly Lending[],
  ended: IntegrationId,
): readonly Lending[] => lendings.filter(({ integration_id: known }) => known !== ended);

/** Settings by the body of a request: what it does not have is default. */
export const modelSettingsOf = (
  body: Static<typeof setModelAccess.body & object>,
): ModelSettings => ({
  default_model: body.default_model ?? null,
  judge_model: body.judge_model ?? null,
  daily_budget: body.daily_budget ?? defaultModelSettings.daily_budget,
  daily_calls: body.daily_calls ?? defaultModelSettings.daily_calls,
  allow_unpriced: body.allow_unpriced ?? false,
  name_clusters: body.name_clusters ?? false,
});

export const modelAccessAnswer = (
  { settings: known, changes }: ModelAccess,
  integrations: readonly LentIntegration[],
): { readonly body: Static<typeof modelAccess>; readonly etag: string } => ({
  body: { integrations: [...integrations], ...known },
  etag: String(changes),
});
