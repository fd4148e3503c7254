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
import { asOfComplaints, parseAsOf, type AsOf } from '../../contract/as-of.js';
import { readRoute, type Route } from '../../contract/operation.js';
import type { Principal } from '../../contract/roles.js';
import { Fault } from '../../kernel/fault.js';
import type { Position } from '../../kernel/ports.js';
import type { DatasetId, OrganizationId } from '../../kernel/schema-types.js';
import { datasetList, type ListedDataset } from '../../projections/dataset-list.js';
import { datasetRows } from '../../projections/dataset-rows.js';
import { datasetVersions, type StoredDatasetVersion } from '../../projections/dataset-versions.js';
import { projectList, type ListedProject } from '../../projections/project-list.js';
import { userList } from '../../projections/user-list.js';
import { pageParameters, readListingPage, type ListingRequest } from '../listings.js';
import { readUserBlocks } from '../user-blocks.js';
import { projectAnswers, projectCollections } from '../projects/routes.js';
import {
  projectVisibility,
  visibilityCollections,
  type VisibilityNeeds,
} from '../project-visibility.js';
import { readContentPage } from './content.js';
import { toDatasetFilters, planDatasets, projectsInFilters } from './listing.js';
import { datasetVisibility, idIsOneOf, type DatasetVisibility } from './dataset-visibility.js';

export type DatasetReadNeeds = VisibilityNeeds & {
  /**
   * Time travel: the dataset as of a past position or time, folded from the log; null before it
   * existed. Throws Fault `invalid`.
   */
  readonly datasetAt: (
    organization: OrganizationId,
    id: DatasetId,
    asOf: AsOf,
  ) => Promise<{ readonly facts: DatasetFacts; readonly position: Position } | null>;
};

/** Reads of datasets (contract 5.11). */
export const datasetReads = (needs: DatasetReadNeeds): readonly Route[] => [
  listing(needs),
  searching(needs),
  showing(needs),
  content(needs),
  versionContent(needs),
  versions(needs),
  projects(needs),
];

const datasetCollections = [datasetList.collection, userList.collection, ...visibilityCollections];
const contentCollections = [
  datasetList.collection,
  datasetVersions.collection,
  datasetRows.collection,
  userList.collection,
];

const listing = (needs: DatasetReadNeeds): Route =>
  readRoute(listDatasets, datasetCollections, async ({ query, principal }) => ({
    body: await datasetsPage(needs, principal, query),
  }));

const searching = (needs: DatasetReadNeeds): Route =>
  readRoute(
    queryDatasets,
    datasetCollections,
    async ({ query, body, principal }) => {
      const { filters, sort } = planDatasets(body);
      return {
        body: await datasetsPage(needs, principal, {
          ...pageParameters(query, body),
          filters,
          sort,
        }),
      };
    },
    ({ body }) => planDatasets(body).complaints,
  );

const showing = (needs: DatasetReadNeeds): Route =>
  readRoute(
    getDataset,
    datasetCollections,
    async ({ params: { dataset_id: id }, query, principal }) => {
      const { facts, past } = await factsAt(needs, principal, id, query.as_of);
      const [shown] = await answers(
        needs,
        [facts],
        principal,
        await datasetVisibility(needs, principal),
      );
      if (shown === undefined) throw new Fault('not-found', 'Dataset not found');
      return { body: shown, etag: datasetTag(facts), ...past };
    },
    ({ query }) => asOfComplaints(query),
  );

const content = (needs: DatasetReadNeeds): Route =>
  readRoute(
    getDatasetContent,
    contentCollections,
    async ({ params, query, principal }) => {
      const { facts, past } = await factsAt(needs, principal, params.dataset_id, query.as_of);
      const { current_version_index: version } = facts;
      const body = await readContentPage(needs.documents, {
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
  readRoute(getDatasetVersionContent, contentCollections, async ({ params, query, principal }) => ({
    body: await readContentPage(documents, {
      organization: principal.organizationId,
      dataset: params.dataset_id,
      version: params.version_index,
      page: query,
    }),
  }));

const versions = ({ documents }: DatasetReadNeeds): Route =>
  readRoute(
    queryDatasetVersions,
    [datasetVersions.collection, userList.collection],
    async ({ params, query, body, principal }) => {
      const { rows, measure } = await readListingPage<StoredDatasetVersion>(
        documents,
        datasetVersions.collection,
        params.dataset_id,
        { ...pageParameters(query, body), sort: { column: 'version_index', ascending: false } },
      );
      const facts = rows.map((row) => row.body.facts);
      const creators = facts.map((one) => one.created_by);
      const people = await readUserBlocks(documents, principal.organizationId, creators);
      const versions = facts.map(({ created_by, ...rest }) => ({
        ...rest,
        column_names: [...rest.column_names],
        created_by_user: people.get(created_by) ?? null,
      }));
      return { body: { ...measure, versions } };
    },
  );

const projects = (needs: DatasetReadNeeds): Route =>
  readRoute(
    listDatasetProjects,
    [datasetList.collection, ...projectCollections()],
    async ({ params, query, principal }) => {
      const { projects } = await factsOf(needs, params.dataset_id);
      const visibility = await projectVisibility(needs, principal);
      const { rows, measure } = await readListingPage<ListedProject>(
        needs.documents,
        projectList.collection,
        principal.organizationId,
        { ...query, filters: [idIsOneOf(projects), ...visibility.filters] },
      );
      const found = rows.map(({ body }) => body);
      const answered = await projectAnswers(needs, found, principal, visibility);
      return { body: { ...measure, projects: answered } };
    },
  );

const factsOf = async ({ documents }: DatasetReadNeeds, id: DatasetId): Promise<DatasetFacts> => {
  const found = await documents.get<ListedDataset>(datasetList.collection, id);
  if (found === null) throw new Fault('not-found', 'Dataset not found');
  return found.body.facts;
};

/** Facts now or as of `asOf`; `past` holds the members that a response about the past adds. */
const factsAt = async (
  needs: DatasetReadNeeds,
  { organizationId }: Principal,
  id: DatasetId,
  asOf: string | undefined,
) => {
  const when = asOf === undefined ? null : parseAsOf(asOf);
  if (when === null) return { facts: await factsOf(needs, id), past: {} };
  const found = await needs.datasetAt(organizationId, id, when);
  if (found === null) throw new Fault('not-found', 'Dataset not found');
  return { facts: found.facts, past: { position: found.position } };
};

const answers = async (
  { documents }: DatasetReadNeeds,
  facts: readonly DatasetFacts[],
  principal: Principal,
  { rightsAndCounts }: DatasetVisibility,
) => {
  const { mayWrite, projectCount } = await rightsAndCounts(facts);
  const creators = facts.map((one) => one.created_by);
  const people = await readUserBlocks(documents, principal.organizationId, creators);
  return facts.map((one) =>
    datasetAnswer(one, {
      user: people.get(one.created_by) ?? null,
      rights: { write: mayWrite(one) },
      projectCount: projectCount(one),
    }),
  );
};

const datasetsPage = async (
  needs: DatasetReadNeeds,
  principal: Principal,
  request: ListingRequest,
) => {
  const visibility = await datasetVisibility(needs, principal);
  const { filters = [] } = request;
  const named = await visibility.visibleProjects(projectsInFilters(filters));
  const { rows, measure } = await readListingPage<ListedDataset>(
    needs.documents,
    datasetList.collection,
    principal.organizationId,
    { ...request, filters: [...toDatasetFilters(filters, named), ...(await visibility.filters())] },
  );
  const facts = rows.map(({ body }) => body.facts);
  return { ...measure, datasets: await answers(needs, facts, principal, visibility) };
};
