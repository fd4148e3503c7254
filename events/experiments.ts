// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type, type Static } from 'typebox';
import { id, instant, nullable, type JsonObject } from '../kernel/schema-types.js';
import { logStreamNoun } from './log-streams.js';
import type { Noun } from './noun.js';
import { event, type DataOf, type EventOf } from './schemas.js';

const runMembers = { run_id: id('RunId'), project_id: id('ProjectId') };
const json = Type.Unsafe<JsonObject>(Type.Object({}));
/** Group with its name, which never changes. */
const group = Type.Object({ id: id('ExperimentGroupId'), name: Type.String() });
const tag = { key: Type.String(), value: Type.String(), tag_type: Type.String() };
const choice = { ...runMembers, group_id: nullable(id('ExperimentGroupId')) };

export const experimentEvents = {
  ExperimentCreated: event('entity create', {
    ...runMembers,
    organization_id: id('OrganizationId'),
    name: Type.String(),
    task_type: Type.Integer(),
    /** `num_rows` of that version: versions never change. */
    dataset: nullable(
      Type.Object({
        dataset_id: id('DatasetId'),
        version_index: Type.Integer(),
        num_rows: Type.Integer(),
      }),
    ),
    /** Settings as returned: with defaults, tools as compact JSON. */
    prompt_settings: nullable(json),
    prompt: nullable(json),
    prompt_template_version_id: nullable(Type.String()),
    playground_id: nullable(Type.String()),
    playground_prompt_id: nullable(Type.String()),
    /** Initial scorers of the run (contract 5.10), as sent. */
    scorers: Type.Array(json),
    group: nullable(group),
    created_by: id('UserId'),
    created_at: instant,
  }),
  /** `task_type` is present only when it changed too; the name may be unchanged. */
  ExperimentRenamed: event('entity update', {
    ...runMembers,
    name: Type.String(),
    task_type: Type.Optional(Type.Integer()),
  }),
  ExperimentGroupAssigned: event('entity update', { ...runMembers, group }),
  /** Tombstone: its records answer 404 from here on, and the worker erases them. */
  ExperimentDeleted: event('entity delete', runMembers),
  ExperimentTagged: event('entity update', {
    ...runMembers,
    tag_id: id('TagId'),
    ...tag,
    created_by: id('UserId'),
    created_at: instant,
  }),
  ExperimentTagChanged: event('entity update', {
    ...runMembers,
    tag_id: id('TagId'),
    ...tag,
    changed_at: instant,
  }),
  ExperimentUntagged: event('entity update', { ...runMembers, tag_id: id('TagId') }),
};
export const experimentScopeEvents = {
  ExperimentGroupCreated: event('entity create', {
    group_id: id('ExperimentGroupId'),
    project_id: id('ProjectId'),
    name: Type.String(),
  }),
  /**
   * Stream `experiment-scope-<group>`, for experiments without a group
   * `experiment-scope-<project>`. Replaces the previous choice.
   */
  ExperimentWinnerChosen: event('entity update', choice),
  ExperimentWinnerWithdrawn: event('entity delete', choice),
};
export const rankingCriteriaEvents = {
  /** An empty list restores the default (contract 5.5). */
  RankingCriteriaSet: event('entity update', {
    project_id: id('ProjectId'),
    criteria: Type.Array(
      Type.Object({
        metric: Type.String(),
        weight: Type.Number(),
        direction: Type.Unsafe<'higher' | 'lower'>(Type.String()),
      }),
    ),
  }),
};

export const experimentNoun: Noun = {
  stream: logStreamNoun.stream,
  events: experimentEvents,
  resource: 'experiment',
};

export const experimentScopeNoun: Noun = {
  stream: {
    name: 'experiment-scope-<group or project>',
    subject: 'experiment scope',
    erasedWith: 'project',
  },
  events: experimentScopeEvents,
};

export const rankingCriteriaNoun: Noun = {
  stream: { name: 'ranking-criteria-<project>', subject: 'project', erasedWith: 'project' },
  events: rankingCriteriaEvents,
};

export type ExperimentEvent = EventOf<typeof experimentEvents>;
export type ExperimentScopeEvent = EventOf<typeof experimentScopeEvents>;
export type RankingCriteriaEvent = EventOf<typeof rankingCriteriaEvents>;

export type ExperimentCreated = DataOf<ExperimentEvent, 'ExperimentCreated'>;
export type ExperimentGroup = Static<typeof group>;
