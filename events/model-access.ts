// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import { id, nullable } from '../kernel/schema-types.js';
import { storedProvider } from './integrations.js';
import type { Noun } from './noun.js';
import { event, type EventOf } from './schemas.js';

const integration = { project_id: id('ProjectId'), integration_id: id('IntegrationId') };

export const modelAccessEvents = {
  /** Lent, or with other limits: the lending as a whole. */
  IntegrationLent: event('entity update', {
    ...integration,
    provider: storedProvider,
    lent_by: id('UserId'),
    /** Dollars; null: no limit beside the project's. */
    daily_budget: nullable(Type.Number()),
    calls_per_minute: Type.Integer(),
  }),
  IntegrationLendingEnded: event('entity update', integration),
  /** The settings as a whole. */
  ModelAccessSet: event('entity update', {
    project_id: id('ProjectId'),
    default_model: nullable(Type.String()),
    judge_model: nullable(Type.String()),
    /** Dollars. */
    daily_budget: Type.Number(),
    daily_calls: Type.Integer(),
    allow_unpriced: Type.Boolean(),
    name_clusters: Type.Boolean(),
  }),
};

export const modelAccessNoun: Noun = {
  stream: { name: 'model-access-<project>', subject: 'project', erasedWith: 'project' },
  events: modelAccessEvents,
};

export type ModelAccessEvent = EventOf<typeof modelAccessEvents>;
