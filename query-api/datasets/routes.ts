import {
  getDatasetContent,
  getDatasetVersionContent,
  queryDatasetVersions,
} from '../../contract/dataset-content.js';
import {
  contentTag,
  datasetAnswer,
  datasetTag,
  getDataset,
  listDatasetProjects,
  listDatasets,
  queryDatasets,
  type DatasetFacts,
} from '../../contract/datasets.js';
import { asOfComplaints, readAsOf, type AsOf } from '../../contract/as-of.js';
import { reading, type Route } from '../../contract/operation.js';
import type { Principal } from '../../contract/roles.js';
import { Fault } from '../../kernel/fault.js';
import type { Position } from '../../kernel/ports.js';
import type { DatasetId, OrganizationId } from '../../kernel/shapes.js';
import { datasetList, type DatasetListed } from '../../projections/dataset-list.js';
import { datasetRows } from '../../projections/dataset-rows.js';
import { datasetVersions, type DatasetVersioned } from '../../projections/dataset-versions.js';
import { projectList, type ListedProject } from '../../projections/project-list.js';
import { userList } from '../../projections/user-list.js';
import { pageAsked, pageOf, type ListingAsked } from '../listings.js';
import { peopleOf } from '../people.js';
import { projectAnswers, projectReadings } from '../projects/routes.js';
import { sightOf, sightReads, type SightNeeds } from '../sight.js';
import { contentPage } from './content.js';
import { overDatasets, planDatasets, projectsNamed } from './listing.js';
import { datasetSightOf, isOneOf, type DatasetSight } from './sight.js';

export type DatasetReadNeeds = SightNeeds & {
  /** The dataset as it was, from the log; null before it existed. Throws Fault `invalid`. */
  readonly datasetAt: (
    organization: OrganizationId,
    id: DatasetId,
    asOf: AsOf,
  ) => Promise<{ readonly facts: DatasetFacts; readonly position: Position } | null>;
};

/** The reads of contract 5.11. */
export const datasetReads = (needs: DatasetReadNeeds): readonly Route[] => [
  listing(needs),
  searching(needs),
  showing(needs),
  content(needs),
  versionContent(needs),
  versions(needs),
  projects(needs),
];

const records = [datasetList.collection, userList.collection, ...sightReads];
const contents = [
  datasetList.collection,
  datasetVersions.collection,
  datasetRows.collection,
  userList.collection,
];

const listing = (needs: DatasetReadNeeds): Route =>
  reading(listDatasets, records, async ({ query, principal }) => ({
    body: await listed(needs, principal, query),
  }));

const searching = (needs: DatasetReadNeeds): Route =>
  reading(
    queryDatasets,
    records,
    async ({ query, body, principal }) => {
      const { filters, sort } = planDatasets(body);
      return { body: await listed(needs, principal, { ...pageAsked(query, body), filters, sort }) };
    },
    ({ body }) => planDatasets(body).complaints,
  );

const showing = (needs: DatasetReadNeeds): Route =>
  reading(
    getDataset,
    records,
    async ({ params: { dataset_id: id }, query, principal }) => {
      const { facts, past } = await factsAt(needs, principal, id, query.as_of);
      const [shown] = await answers(
        needs,
        [facts],
        principal,
        await datasetSightOf(needs, principal),
      );
      if (shown === undefined) throw new Fault('not-found', 'Dataset not found');
      return { body: shown, etag: datasetTag(facts), ...past };
    },
    ({ query }) => asOfComplaints(query),
  );

const content = (needs: DatasetReadNeeds): Route =>
  reading(
    getDatasetContent,
    contents,
    async ({ params, query, principal }) => {
      const { facts, past } = await factsAt(needs, principal, params.dataset_id, query.as_of);
      const { current_version_index: version } = facts;
      const body = await contentPage(needs.documents, {
        organization: principal.organizationId,
        dataset: params.dataset_id,
        version,
        page: query,
      });
      return { body, etag: contentTag(version), ...past };
    },
    ({ query }) => asOfComplaints(query),
  );

const versionContent = ({ documents }: DatasetReadNeeds): Route =>
  reading(getDatasetVersionContent, contents, async ({ params, query, principal }) => ({
    body: await contentPage(documents, {
      organization: principal.organizationId,
      dataset: params.dataset_id,
      version: params.version_index,
      page: query,
    }),
  }));

const versions = ({ documents }: DatasetReadNeeds): Route =>
  reading(
    queryDatasetVersions,
    [datasetVersions.collection, userList.collection],
    async ({ params, query, body, principal }) => {
      const { rows, measure } = await pageOf<DatasetVersioned>(
        documents,
        datasetVersions.collection,
        params.dataset_id,
        { ...pageAsked(query, body), sort: { column: 'version_index', ascending: false } },
      );
      const facts = rows.map((row) => row.body.facts);
      const creators = facts.map((one) => one.created_by);
      const people = await peopleOf(documents, principal.organizationId, creators);
      const versions = facts.map(({ created_by, ...rest }) => ({
        ...rest,
        column_names: [...rest.column_names],
        created_by_user: people.get(created_by) ?? null,
      }));
      return { body: { ...measure, versions } };
    },
  );

const projects = (needs: DatasetReadNeeds): Route =>
  reading(
    listDatasetProjects,
    [datasetList.collection, ...projectReadings()],
    async ({ params, query, principal }) => {
      const { projects } = await factsOf(needs, params.dataset_id);
      const sight = await sightOf(needs, principal);
      const { rows, measure } = await pageOf<ListedProject>(
        needs.documents,
        projectList.collection,
        principal.organizationId,
        { ...query, filters: [isOneOf(projects), ...sight.filters] },
      );
      const found = rows.map(({ body }) => body);
      const answered = await projectAnswers(needs, found, principal, sight);
      return { body: { ...measure, projects: answered } };
    },
  );

const factsOf = async ({ documents }: DatasetReadNeeds, id: DatasetId): Promise<DatasetFacts> => {
  const found = await documents.get<DatasetListed>(datasetList.collection, id);
  if (found === null) throw new Fault('not-found', 'Dataset not found');
  return found.body.facts;
};

/** `past`: what an answer as of a past position says of it. */
const factsAt = async (
  needs: DatasetReadNeeds,
  { organizationId }: Principal,
  id: DatasetId,
  asOf: string | undefined,
) => {
  const when = asOf === undefined ? null : readAsOf(asOf);
  if (when === null) return { facts: await factsOf(needs, id), past: {} };
  const found = await needs.datasetAt(organizationId, id, when);
  if (found === null) throw new Fault('not-found', 'Dataset not found');
  return { facts: found.facts, past: { position: found.position } };
};

const answers = async (
  { documents }: DatasetReadNeeds,
  facts: readonly DatasetFacts[],
  principal: Principal,
  { shown }: DatasetSight,
) => {
  const { mayWrite, projectCount } = await shown(facts);
  const creators = facts.map((one) => one.created_by);
  const people = await peopleOf(documents, principal.organizationId, creators);
  return facts.map((one) =>
    datasetAnswer(one, {
      user: people.get(one.created_by) ?? null,
      rights: { write: mayWrite(one) },
      projectCount: projectCount(one),
    }),
  );
};

const listed = async (needs: DatasetReadNeeds, principal: Principal, asked: ListingAsked) => {
  const sight = await datasetSightOf(needs, principal);
  const { filters = [] } = asked;
  const named = await sight.projectsAmong(projectsNamed(filters));
  const { rows, measure } = await pageOf<DatasetListed>(
    needs.documents,
    datasetList.collection,
    principal.organizationId,
    { ...asked, filters: [...overDatasets(filters, named), ...(await sight.filters())] },
  );
  const facts = rows.map(({ body }) => body.facts);
  return { ...measure, datasets: await answers(needs, facts, principal, sight) };
};
