import type { ExperimentRecord } from '../contract/experiment-record.js';
import type { MetricsRecorded } from '../command-api/experiments/ranking-routes.js';
import type { RankingCriteria } from '../contract/experiment-ranking.js';
import type { Freshness } from '../contract/request-ports.js';
import type { Principal } from '../contract/roles.js';
import { registryType } from '../kernel/records/column-value.js';
import type { Position } from '../kernel/ports.js';
import type { Documents } from '../kernel/documents.js';
import { ratingTypes } from '../kernel/records/feedback.js';
import { allTracesScope } from '../kernel/records/query-plans.js';
import type { RecordQueries } from '../kernel/records/record-queries.js';
import type { ProjectId, RunId } from '../kernel/schema-types.js';
import { recordsCollection } from '../projections/records/collection.js';
import { criteriaCollections, criteriaAnswer } from '../query-api/experiments/criteria.js';
import {
  experimentCollections,
  experimentRows,
} from '../query-api/experiments/experiment-answers.js';
import { openRankingCache } from '../query-api/experiments/ranking-cache.js';
import { templateCollection, type TemplatesOf } from '../query-api/run-selection.js';

type Needs = {
  readonly documents: Documents;
  readonly records: RecordQueries;
  readonly freshness: Freshness;
  readonly templatesOf: TemplatesOf;
};

/** Read-model queries for the responses of experiment writes. */
export const experimentQueries = (needs: Needs) => {
  const { documents, records, freshness } = needs;
  const ranks = openRankingCache({ documents, records });
  const waitUntilApplied = async (
    collections: readonly { readonly name: string }[],
    position: Position,
  ): Promise<void> => {
    await freshness.waitUntilApplied(
      collections.map(({ name }) => name),
      position,
    );
  };
  return {
    ranks,

    experimentShown: async (
      principal: Principal,
      project: ProjectId,
      id: RunId,
      position: Position,
    ): Promise<ExperimentRecord> => {
      await waitUntilApplied(experimentCollections, position);
      return experimentRows.find({ ...needs, ranks }, { principal, project, isCounted: true }, id);
    },

    criteriaShown: async (
      principal: Principal,
      project: ProjectId,
      position: Position,
    ): Promise<RankingCriteria> => {
      await waitUntilApplied(criteriaCollections, position);
      const organization = principal.organizationId;
      return criteriaAnswer({ documents, records }, { organization, project });
    },

    metricsRecorded: (project: ProjectId) => recordedMetrics(needs, project),
  };
};

const recordedMetrics = async (
  { freshness, records, templatesOf }: Needs,
  project: ProjectId,
): Promise<MetricsRecorded> => {
  let isBehind = false;
  await freshness.waitUntilApplied([recordsCollection.name, templateCollection.name], null, {
    project,
    onBehind: () => {
      isBehind = true;
    },
  });
  const { metrics } = await records.columns(allTracesScope(project));
  const own = metrics.filter((metric) => registryType(metric) === null);
  const types = own.length === 0 ? new Map() : await records.metricTypes(project, own);
  const typed = metrics.map(
    (metric) => [metric, registryType(metric) ?? types.get(metric) ?? 'text'] as const,
  );
  const rated = (await templatesOf(project)).map(({ id, type }) => {
    const shown = ratingTypes[type];
    return [`annotations/${id}`, shown === 'floating_point' ? shown : 'text'] as const;
  });
  return { types: new Map([...typed, ...rated]), isBehind };
};
