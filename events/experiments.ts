// Stored for ever: names, members and versions below are the storage format.
import { Type, type Static } from 'typebox';
import { id, instant, nullable, type JsonObject } from '../kernel/shapes.js';

const ofRun = { run_id: id('RunId'), project_id: id('ProjectId') };
const json = Type.Unsafe<JsonObject>(Type.Object({}));
/** A group keeps its name for ever, so it stands beside its id. */
const group = Type.Object({ id: id('ExperimentGroupId'), name: Type.String() });

/** Stream `run-<run>`. */
export const experimentCreated = Type.Object({
  ...ofRun,
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
  /** As answered: with defaults, tools as compact JSON. */
  prompt_settings: nullable(json),
  prompt: nullable(json),
  prompt_template_version_id: nullable(Type.String()),
  playground_id: nullable(Type.String()),
  playground_prompt_id: nullable(Type.String()),
  /** The scorers that the run begins with (contract 5.10), as sent. */
  scorers: Type.Array(json),
  group: nullable(group),
  created_by: id('UserId'),
  created_at: instant,
});
/** `task_type` is there only when it changed too; the name may be the one it had. */
export const experimentRenamed = Type.Object({
  ...ofRun,
  name: Type.String(),
  task_type: Type.Optional(Type.Integer()),
});
export const experimentGroupAssigned = Type.Object({ ...ofRun, group });
/** Its records answer 404 from here on and are erased by the worker. */
export const experimentDeleted = Type.Object(ofRun);
const tag = { key: Type.String(), value: Type.String(), tag_type: Type.String() };
export const experimentTagged = Type.Object({
  ...ofRun,
  tag_id: id('TagId'),
  ...tag,
  created_by: id('UserId'),
  created_at: instant,
});
export const experimentTagChanged = Type.Object({
  ...ofRun,
  tag_id: id('TagId'),
  ...tag,
  changed_at: instant,
});
export const experimentUntagged = Type.Object({ ...ofRun, tag_id: id('TagId') });

/** Stream `experiment-scope-<group>`. */
export const experimentGroupCreated = Type.Object({
  group_id: id('ExperimentGroupId'),
  project_id: id('ProjectId'),
  name: Type.String(),
});
const choice = Type.Object({ ...ofRun, group_id: nullable(id('ExperimentGroupId')) });
/**
 * Stream `experiment-scope-<group>`, of experiments in no group `experiment-scope-<project>`. The
 * choice before is replaced.
 */
export const experimentWinnerChosen = choice;
export const experimentWinnerWithdrawn = choice;

/** Stream `ranking-criteria-<project>`. An empty list brings the default back (contract 5.5). */
export const rankingCriteriaSet = Type.Object({
  project_id: id('ProjectId'),
  criteria: Type.Array(
    Type.Object({
      metric: Type.String(),
      weight: Type.Number(),
      direction: Type.Unsafe<'higher' | 'lower'>(Type.String()),
    }),
  ),
});

export type ExperimentCreated = Static<typeof experimentCreated>;
export type ExperimentGroup = Static<typeof group>;
export type ExperimentEvent =
  | { readonly type: 'ExperimentCreated'; readonly data: ExperimentCreated }
  | { readonly type: 'ExperimentRenamed'; readonly data: Static<typeof experimentRenamed> }
  | {
      readonly type: 'ExperimentGroupAssigned';
      readonly data: Static<typeof experimentGroupAssigned>;
    }
  | { readonly type: 'ExperimentDeleted'; readonly data: Static<typeof experimentDeleted> }
  | { readonly type: 'ExperimentTagged'; readonly data: Static<typeof experimentTagged> }
  | { readonly type: 'ExperimentTagChanged'; readonly data: Static<typeof experimentTagChanged> }
  | { readonly type: 'ExperimentUntagged'; readonly data: Static<typeof experimentUntagged> };

type Choice = Static<typeof choice>;
export type ExperimentScopeEvent =
  | {
      readonly type: 'ExperimentGroupCreated';
      readonly data: Static<typeof experimentGroupCreated>;
    }
  | { readonly type: 'ExperimentWinnerChosen'; readonly data: Choice }
  | { readonly type: 'ExperimentWinnerWithdrawn'; readonly data: Choice };

export type RankingCriteriaEvent = {
  readonly type: 'RankingCriteriaSet';
  readonly data: Static<typeof rankingCriteriaSet>;
};
