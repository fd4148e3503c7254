import type { ExperimentScopeEvent } from '../../events/experiments.js';
import { unreachable, type Decide, type Fold } from '../../kernel/decision.js';
import type { ExperimentGroupId, ProjectId, RunId } from '../../kernel/schema-types.js';

/**
 * Ranking scope: the experiments of one group, or those of a project without a group, whose scope
 * has a null `group` (contract 4.6).
 */
type ExperimentScope = {
  readonly group: { readonly projectId: ProjectId; readonly name: string } | null;
  /** The experiment chosen last; it counts while it is live and in this scope. */
  readonly chosen: RunId | null;
};

export const experimentScopes: Fold<ExperimentScope, ExperimentScopeEvent> = {
  initial: { group: null, chosen: null },
  evolve: (scope, { type, data }) => {
    switch (type) {
      case 'ExperimentGroupCreated':
        return { ...scope, group: { projectId: data.project_id, name: data.name } };
      case 'ExperimentWinnerChosen':
        return { ...scope, chosen: data.run_id };
      case 'ExperimentWinnerWithdrawn':
        return { ...scope, chosen: scope.chosen === data.run_id ? null : scope.chosen };
      default:
        return unreachable(type);
    }
  },
};

export const makeGroup =
  (
    id: ExperimentGroupId,
    project: ProjectId,
    name: string,
  ): Decide<ExperimentScope, ExperimentScopeEvent> =>
  ({ group }) =>
    group !== null
      ? []
      : [{ type: 'ExperimentGroupCreated', data: { group_id: id, project_id: project, name } }];

type Candidate = {
  readonly run: RunId;
  readonly project: ProjectId;
  readonly group: ExperimentGroupId | null;
};

export const chooseWinner =
  ({ run, project, group }: Candidate): Decide<ExperimentScope, ExperimentScopeEvent> =>
  ({ chosen }) =>
    chosen === run
      ? []
      : [
          {
            type: 'ExperimentWinnerChosen',
            data: { run_id: run, project_id: project, group_id: group },
          },
        ];

/** Withdraws the choice if it is this experiment. */
export const withdrawWinner =
  ({ run, project, group }: Candidate): Decide<ExperimentScope, ExperimentScopeEvent> =>
  ({ chosen }) =>
    chosen !== run
      ? []
      : [
          {
            type: 'ExperimentWinnerWithdrawn',
            data: { run_id: run, project_id: project, group_id: group },
          },
        ];
