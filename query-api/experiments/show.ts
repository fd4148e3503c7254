import {
  experimentAnswer,
  noFindings,
  type Experiment,
  type ExperimentFacts,
  type ExperimentFindings,
} from '../../contract/experiment-record.js';
import type { Principal } from '../../contract/roles.js';
import type { Documents } from '../../kernel/ports.js';
import type { Records } from '../../kernel/records.js';
import type { ProjectId } from '../../kernel/shapes.js';
import { experimentList } from '../../projections/experiment-list.js';
import { recordsCollection } from '../../projections/records/collection.js';
import { userList } from '../../projections/user-list.js';
import { peopleOf } from '../people.js';

export type ExperimentShowNeeds = {
  readonly documents: Documents;
  readonly records: Pick<Records, 'runCounts'>;
};
export type Asking = {
  readonly principal: Principal;
  readonly project: ProjectId;
  readonly isCounted: boolean;
};

/** What the records of contract 4.6 are made from. */
export const experimentReadsFrom = [
  experimentList.collection,
  userList.collection,
  recordsCollection,
];

/** The records of contract 4.6 in the order of the facts. */
export const shownExperiments = async (
  needs: ExperimentShowNeeds,
  facts: readonly ExperimentFacts[],
  { principal, project, isCounted }: Asking,
): Promise<Experiment[]> => {
  if (facts.length === 0) return [];
  const { documents, records } = needs;
  const creators = facts.map((one) => one.created_by);
  const people = await peopleOf(documents, principal.organizationId, creators);
  const runs = facts.map(({ id }) => id);
  const counts = isCounted ? await records.runCounts(project, runs) : new Map();
  const findingsOf = (run: string): ExperimentFindings => {
    const counted = counts.get(run);
    return {
      ...noFindings,
      ...(isCounted && {
        num_spans: counted?.spans ?? 0,
        num_traces: counted?.traces ?? 0,
        num_sessions: counted?.sessions ?? 0,
      }),
    };
  };
  return facts.map((one) =>
    experimentAnswer(one, people.get(one.created_by) ?? null, null, findingsOf(one.id)),
  );
};
