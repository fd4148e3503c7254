import {
  experimentAnswer,
  type ExperimentRecord,
  type ExperimentFacts,
  type ExperimentAggregates,
} from '../../contract/experiment-record.js';
import { experimentLists } from '../../contract/experiments.js';
import {
  feedbackAggregate,
  type FeedbackTemplate,
  type RatingCounts,
} from '../../kernel/records/feedback.js';
import type { Documents } from '../../kernel/documents.js';
import type { RecordQueries } from '../../kernel/records/record-queries.js';
import { datasetList, type ListedDataset } from '../../projections/dataset-list.js';
import { experimentList } from '../../projections/experiment-list.js';
import { experimentMembers } from '../../projections/experiment-members.js';
import { experimentWinners } from '../../projections/experiment-winners.js';
import { userList } from '../../projections/user-list.js';
import { readUserBlocks } from '../user-blocks.js';
import { runListReads, type RunListViewer } from '../run-lists.js';
import { templateCollection, type TemplatesOf } from '../run-selection.js';
import { criteriaCollections } from './criteria.js';
import { aggregatesOf, progressOf } from './aggregates.js';
import type { ExperimentRank, ExperimentRanks } from './ranking-cache.js';

export type ExperimentAnswersNeeds = {
  readonly documents: Documents;
  readonly records: Pick<RecordQueries, 'runMeasures' | 'ratings'>;
  readonly ranks: ExperimentRanks;
  readonly templatesOf: TemplatesOf;
};

/** Read models behind the records of contract 4.6. */
export const experimentCollections = [
  experimentList.collection,
  experimentMembers.collection,
  experimentWinners.collection,
  ...criteriaCollections,
  templateCollection,
  datasetList.collection,
  userList.collection,
];

type ExperimentData = {
  readonly isCounted: boolean;
  readonly measures: Awaited<ReturnType<RecordQueries['runMeasures']>>;
  readonly templates: readonly FeedbackTemplate[];
  readonly tallies: ReadonlyMap<string, RatingCounts>;
};

/**
 * Experiment records of contract 4.6 in the order of the facts, loaded in a few batched queries.
 */
export const experimentAnswers = async (
  needs: ExperimentAnswersNeeds,
  facts: readonly ExperimentFacts[],
  { principal, project, isCounted }: RunListViewer,
): Promise<ExperimentRecord[]> => {
  if (facts.length === 0) return [];
  const { documents, records } = needs;
  const runs = facts.map(({ id }) => id);
  const creators = facts.map((one) => one.created_by);
  const templates = await needs.templatesOf(project);
  const [people, datasetNames, measures, ratings, ranks] = await Promise.all([
    readUserBlocks(documents, principal.organizationId, creators),
    namesOf(documents, principal.organizationId, facts),
    records.runMeasures(project, runs),
    templates.length > 0 ? records.ratings(project, runs) : [],
    needs.ranks.of({ organization: principal.organizationId, project }, facts),
  ]);
  const tallies = new Map(ratings.map((tally) => [`${tally.run}/${tally.template}`, tally]));
  const found = { isCounted, measures, templates, tallies };
  return facts.map((one, at) =>
    experimentAnswer(
      one,
      people.get(one.created_by) ?? null,
      one.dataset && (datasetNames.get(one.dataset.dataset_id) ?? null),
      aggregatesAnswer(found, one, ranks[at] ?? unranked),
    ),
  );
};

/** Lists and single records of experiments. */
export const experimentRows = runListReads({
  operations: experimentLists,
  called: 'Experiment',
  projection: experimentList,
  reads: experimentCollections,
  rowsOf: experimentAnswers,
});

/** Current names of the datasets in use, by id; a deleted one has none. */
const namesOf = async (
  documents: Documents,
  organization: string,
  facts: readonly ExperimentFacts[],
): Promise<ReadonlyMap<string, string>> => {
  const ids = new Set(facts.flatMap(({ dataset }) => dataset?.dataset_id ?? []));
  const found = await documents.load(datasetList.collection, [...ids]);
  return new Map(
    [...found]
      .filter(([, { scope }]) => scope === organization)
      .map(([id, { body }]) => [id, (body as ListedDataset).facts.name]),
  );
};

const unranked: ExperimentRank = {
  ranking_score: null,
  rank: null,
  winner: null,
  winner_source: null,
};

const aggregatesAnswer = (
  found: ExperimentData,
  { id, dataset }: ExperimentFacts,
  ranked: ExperimentRank,
): ExperimentAggregates => {
  const measures = found.measures.get(id);
  return {
    ...ranked,
    ...aggregatesOf(measures),
    ...feedbackOf(found, id, measures?.traces ?? 0),
    num_spans: found.isCounted ? (measures?.spans ?? 0) : null,
    num_traces: found.isCounted ? (measures?.traces ?? 0) : null,
    num_sessions: found.isCounted ? (measures?.sessions ?? 0) : null,
    progress_percent: progressOf(measures, dataset?.num_rows ?? null),
  };
};

/** Feedback aggregates: all live templates appear once there is a trace (contract 4.6). */
const feedbackOf = ({ templates, tallies }: ExperimentData, run: string, traces: number) => {
  const aggregates = (traces === 0 ? [] : templates).map(
    (template) =>
      [
        template.id,
        feedbackAggregate(template, tallies.get(`${run}/${template.id}`), traces),
      ] as const,
  );
  return {
    aggregate_feedback: Object.fromEntries(
      aggregates.map(([id, aggregate]) => [id, { aggregate }]),
    ),
    rating_aggregates: Object.fromEntries(aggregates.map(([id, trace]) => [id, { trace }])),
  };
};
