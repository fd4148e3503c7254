import { readRoute, type Route } from '../../contract/operation.js';
import {
  getScorer,
  getScorerCode,
  listScorers,
  listScorerVersions,
  scorerAnswer,
  type ScorerFacts,
} from '../../contract/scorers.js';
import {
  countedSettingsAnswer,
  readScorerSettings,
  type RunScorer,
} from '../../contract/scorer-settings.js';
import type { Principal } from '../../contract/roles.js';
import { Fault } from '../../kernel/fault.js';
import type { Documents } from '../../kernel/documents.js';
import type { RunScoringFacts } from '../../contract/jobs.js';
import { runScoringList } from '../../projections/run-scoring-list.js';
import {
  presetKey,
  scorerFacts,
  scorerList,
  type ScorerRow,
} from '../../projections/scorer-list.js';
import { scorerSettings, type RunScorers } from '../../projections/scorer-settings.js';
import {
  scorerVersions,
  scorerVersionKey,
  type StoredScorerVersion,
} from '../../projections/scorer-versions.js';
import { pageParameters, readListingPage, planListing, type ListingColumns } from '../listings.js';
import { runCollections, runKinds, type RunInProject } from '../run-selection.js';

type ScorerReadNeeds = {
  readonly documents: Documents;
  readonly runInProject: RunInProject;
};

const { collection } = scorerList;
const columns: ListingColumns = {
  filters: { name: 'text', label: 'text', scorer_type: 'text', id: 'id' },
  sorts: ['name', 'label', 'created_at', 'updated_at'],
};

/** Reads of scorers (contract 5.10). */
export const scorerReads = (needs: ScorerReadNeeds): readonly Route[] => [
  listing(needs),
  showing(needs),
  showingCode(needs),
  listingVersions(needs),
  showingSettings(needs),
];

const listing = ({ documents }: ScorerReadNeeds): Route =>
  readRoute(
    listScorers,
    [collection],
    async ({ body, query, principal }) => {
      const { filters, sort } = planListing(body, columns);
      const { rows, measure } = await readListingPage<ScorerRow>(
        documents,
        collection,
        principal.organizationId,
        {
          ...pageParameters(query, body),
          filters,
          sort: sort ?? { column: 'name', ascending: true },
        },
      );
      const scorers = rows.map((row) => scorerAnswer(scorerFacts(row.body), principal));
      return { body: { ...measure, scorers } };
    },
    ({ body }) => planListing(body, columns).complaints,
  );

const showing = ({ documents }: ScorerReadNeeds): Route =>
  readRoute(getScorer, [collection], async ({ params, principal }) => ({
    body: scorerAnswer(await scorerOf(documents, principal, params.scorer_id), principal),
  }));

const showingCode = ({ documents }: ScorerReadNeeds): Route =>
  readRoute(
    getScorerCode,
    [collection, scorerVersions.collection],
    async ({ params, query, principal }) => {
      const scorer = await scorerOf(documents, principal, params.scorer_id);
      const version = query.version ?? scorer.latest_version?.version ?? 0;
      const key = scorerVersionKey(scorer.id, version);
      const found = await documents.get<StoredScorerVersion>(scorerVersions.collection, key);
      if (found === null) throw new Fault('not-found', 'Version not found');
      return { body: found.body.source };
    },
  );

const listingVersions = ({ documents }: ScorerReadNeeds): Route =>
  readRoute(
    listScorerVersions,
    [collection, scorerVersions.collection],
    async ({ params, query, principal }) => {
      const scorer = await scorerOf(documents, principal, params.scorer_id);
      const { rows, measure } = await readListingPage<StoredScorerVersion>(
        documents,
        scorerVersions.collection,
        scorer.id,
        { ...query, sort: { column: 'version', ascending: false } },
      );
      return { body: { ...measure, versions: rows.map(({ body }) => body.version) } };
    },
  );

const showingSettings = ({ documents, runInProject }: ScorerReadNeeds): Route =>
  readRoute(
    readScorerSettings,
    [collection, scorerSettings.collection, runScoringList.collection, ...runCollections],
    async ({ params: { project_id: project, run_id: id } }) => {
      const known = await Promise.all(runKinds.map((kind) => runInProject(project, { kind, id })));
      if (!known.includes(true)) throw new Fault('not-found', 'Run not found');
      const found = await documents.get<RunScorers>(scorerSettings.collection, id);
      const scoring = await documents.get<RunScoringFacts>(runScoringList.collection, id);
      const outcomes = scoring?.body.outcomes ?? {};
      const scorers = found?.body.scorers ?? [];
      return {
        body: countedSettingsAnswer(id, scorers, outcomes),
        notes: { 'X-Scorers-Without-Version': await withoutVersion(documents, scorers) },
      };
    },
  );

/** Names of the code scorers that have no version yet. */
const withoutVersion = async (
  documents: Documents,
  scorers: readonly RunScorer[],
): Promise<readonly string[]> => {
  const code = scorers.filter(({ scorer_type: type }) => type === 'code');
  const rows = await Promise.all(code.map(({ id }) => documents.get<ScorerRow>(collection, id)));
  return code.flatMap(({ name }, at) => {
    const row = rows[at]?.body;
    return row !== undefined && scorerFacts(row).latest_version === null ? [name] : [];
  });
};

const scorerOf = async (
  documents: Documents,
  { organizationId }: Principal,
  id: string,
): Promise<ScorerFacts> => {
  const found =
    (await documents.get<ScorerRow>(collection, id)) ??
    (await documents.get<ScorerRow>(collection, presetKey(organizationId, id)));
  if (found === null || found.scope !== organizationId) {
    throw new Fault('not-found', 'Scorer not found');
  }
  return scorerFacts(found.body);
};
