import { readRoute, type Route } from '../../contract/operation.js';
import {
  promptTemplateAnswer,
  promptTemplateTag,
  promptVersionAnswer,
  promptVersionOf,
  shownVersionsOf,
  type PromptTemplateFacts,
  type PromptTemplateRecord,
  type PromptVersion,
  type PromptVersionFacts,
} from '../../contract/prompt-template-record.js';
import {
  getPromptTemplate,
  getPromptVersionByName,
  listProjectPromptTemplates,
  queryPromptTemplates,
} from '../../contract/prompt-templates.js';
import { getPromptVersion, queryPromptVersions } from '../../contract/prompt-template-versions.js';
import { moreRowsHeader, plainListMax } from '../../contract/envelope.js';
import type { Principal } from '../../contract/roles.js';
import type { Documents } from '../../kernel/documents.js';
import { Fault } from '../../kernel/fault.js';
import type { Filter } from '../../kernel/filter.js';
import type { PromptText } from '../../kernel/prompts/prompt-text.js';
import { promptTemplateList } from '../../projections/prompt-template-list.js';
import { promptTemplateTexts } from '../../projections/prompt-template-texts.js';
import { userList } from '../../projections/user-list.js';
import { projectsInFilters, toDatasetFilters } from '../datasets/listing.js';
import {
  datasetVisibility,
  linkedToProject,
  type DatasetVisibility,
} from '../datasets/dataset-visibility.js';
import {
  pageOf,
  pageParameters,
  planListing,
  readListingPage,
  type ListingColumns,
  type ListingRequest,
} from '../listings.js';
import { visibilityCollections, type VisibilityNeeds } from '../project-visibility.js';
import { readUserBlocks } from '../user-blocks.js';

/** Reads of prompt templates (contract 5.18). */
export const promptTemplateReads = (needs: VisibilityNeeds): readonly Route[] => [
  searching(needs),
  listingOfProject(needs),
  showingByName(needs),
  showing(needs),
  ...getPromptVersion.map((operation) => showingVersion(needs, operation)),
  ...queryPromptVersions.map((operation) => listingVersions(needs, operation)),
];

const reads = [
  promptTemplateList.collection,
  promptTemplateTexts.collection,
  userList.collection,
  ...visibilityCollections,
];

const columns: ListingColumns = {
  filters: { name: 'text', creator: 'id', used_in_project: 'uuid', not_in_project: 'uuid' },
  sorts: ['name', 'created_at', 'updated_at'],
};

const searching = (needs: VisibilityNeeds): Route =>
  readRoute(
    queryPromptTemplates,
    reads,
    async ({ query, body, principal }) => {
      const { filters, sort } = planListing(body, columns);
      const request = { ...pageParameters(query, body), filters, sort };
      return { body: await templatesPage(needs, principal, request) };
    },
    ({ body }) => planListing(body, columns).complaints,
  );

const listingOfProject = (needs: VisibilityNeeds): Route =>
  readRoute(listProjectPromptTemplates, reads, async ({ params, principal }) => {
    const { templates, next_starting_token: next } = await templatesPage(needs, principal, {
      filters: [linkedToProject(params.project_id)],
      limit: plainListMax,
    });
    return { body: templates, notes: moreRowsHeader(next !== null) };
  });

const showingByName = (needs: VisibilityNeeds): Route =>
  readRoute(getPromptVersionByName, reads, async ({ params, query, principal }) => {
    const { documents: found } = await needs.documents.find<PromptTemplateFacts>(
      promptTemplateList.collection,
      {
        scope: principal.organizationId,
        filter: { all: [linkedToProject(params.project_id), isNamed(query.template_name)] },
        limit: 1,
      },
    );
    const facts = found[0]?.body;
    if (facts === undefined) throw templateNotFound();
    return { body: await versionAnswer(needs, principal, facts, query.version) };
  });

const showing = (needs: VisibilityNeeds): Route =>
  readRoute(getPromptTemplate, reads, async ({ params, principal }) => {
    const facts = await factsOf(needs, params);
    const visibility = await datasetVisibility(needs, principal);
    const shown = { needs, principal, visibility, versionsOf: shownVersionsOf };
    const [answer] = await templateAnswers(shown, [facts]);
    if (answer === undefined) throw templateNotFound();
    return { body: answer, etag: promptTemplateTag(facts) };
  });

const showingVersion = (
  needs: VisibilityNeeds,
  operation: (typeof getPromptVersion)[number],
): Route =>
  readRoute(operation, reads, async ({ params, principal }) => ({
    body: await versionAnswer(needs, principal, await factsOf(needs, params), params.version),
  }));

const listingVersions = (
  needs: VisibilityNeeds,
  operation: (typeof queryPromptVersions)[number],
): Route =>
  readRoute(operation, reads, async ({ params, query, body, principal }) => {
    const facts = await factsOf(needs, params);
    const page = pageParameters(query, body);
    const newest = facts.versions.toReversed();
    const { rows, measure } = pageOf(newest, page);
    const versions = await versionAnswers(needs, principal, [{ facts, versions: rows }]);
    return { body: { ...measure, versions: [...versions.values()].flat() } };
  });

const templatesPage = async (
  needs: VisibilityNeeds,
  principal: Principal,
  request: ListingRequest,
) => {
  const visibility = await datasetVisibility(needs, principal);
  const { filters = [] } = request;
  const named = await visibility.visibleProjects(projectsInFilters(filters));
  const { rows, measure } = await readListingPage<PromptTemplateFacts>(
    needs.documents,
    promptTemplateList.collection,
    principal.organizationId,
    {
      ...request,
      filters: [
        ...toDatasetFilters(filters, named).map(ofCreator),
        isShown,
        ...(await visibility.filters()),
      ],
    },
  );
  const versionsOf = ({ versions, selected }: PromptTemplateFacts) =>
    versions.filter(({ version }) => version === selected);
  const facts = rows.map(({ body }) => body);
  const templates = await templateAnswers({ needs, principal, visibility, versionsOf }, facts);
  return { ...measure, templates };
};

/** The wire's name of the filter is upstream's. */
const ofCreator = (filter: Filter): Filter =>
  'column' in filter && filter.column === 'creator' ? { ...filter, column: 'created_by' } : filter;

const isShown: Filter = { kind: 'boolean', column: 'hidden', operator: 'eq', value: false };

const isNamed = (name: string): Filter => ({
  kind: 'text',
  column: 'name',
  operator: 'eq',
  values: [name],
  caseSensitive: true,
});

type Shown = {
  readonly needs: VisibilityNeeds;
  readonly principal: Principal;
  readonly visibility: DatasetVisibility;
  readonly versionsOf: (facts: PromptTemplateFacts) => readonly PromptVersionFacts[];
};

const templateAnswers = async (
  { needs, principal, visibility, versionsOf }: Shown,
  all: readonly PromptTemplateFacts[],
): Promise<PromptTemplateRecord[]> => {
  const owned = all.map((facts) => ({
    ...facts,
    projects: facts.home_project === null ? [] : [facts.home_project],
  }));
  const { mayWrite } = await visibility.rightsAndCounts(owned);
  const creators = all.map((facts) => facts.created_by);
  const people = await readUserBlocks(needs.documents, principal.organizationId, creators);
  const versions = await versionAnswers(
    needs,
    principal,
    all.map((facts) => ({ facts, versions: versionsOf(facts) })),
  );
  return owned.flatMap((facts) => {
    const user = people.get(facts.created_by) ?? null;
    const rights = { write: mayWrite(facts) };
    return promptTemplateAnswer(facts, versions.get(facts.id) ?? [], { user, rights }) ?? [];
  });
};

type VersionsOfTemplate = {
  readonly facts: PromptTemplateFacts;
  readonly versions: readonly PromptVersionFacts[];
};

/** Versions with their texts by template id; one whose text is erased is left out. */
const versionAnswers = async (
  { documents }: { readonly documents: Documents },
  { organizationId }: Principal,
  wanted: readonly VersionsOfTemplate[],
): Promise<ReadonlyMap<string, readonly PromptVersion[]>> => {
  const all = wanted.flatMap(({ versions }) => versions);
  const ids = all.map(({ version_id }) => version_id);
  const texts = await documents.load(promptTemplateTexts.collection, ids);
  const creators = all.map((one) => one.created_by);
  const people = await readUserBlocks(documents, organizationId, creators);
  return new Map(
    wanted.map(({ facts, versions }) => [
      facts.id,
      versions.flatMap((version) => {
        const text = texts.get(version.version_id)?.body as PromptText | undefined;
        const user = people.get(version.created_by) ?? null;
        return text === undefined ? [] : [promptVersionAnswer(facts, version, text, user)];
      }),
    ]),
  );
};

/** The version that is named, else the selected one. */
const versionAnswer = async (
  needs: VisibilityNeeds,
  principal: Principal,
  facts: PromptTemplateFacts,
  named: string | undefined,
): Promise<PromptVersion> => {
  const version = promptVersionOf(facts, named ?? String(facts.selected));
  if (version === null) throw new Fault('not-found', 'Version not found');
  const found = await versionAnswers(needs, principal, [{ facts, versions: [version] }]);
  const [answer] = found.get(facts.id) ?? [];
  if (answer === undefined) throw templateNotFound();
  return answer;
};

/** The template of the path; where that has a project, it is its home. */
const factsOf = async (
  { documents }: VisibilityNeeds,
  params: { readonly prompt_template_id: string; readonly project_id?: string | undefined },
): Promise<PromptTemplateFacts> => {
  const found = await documents.get<PromptTemplateFacts>(
    promptTemplateList.collection,
    params.prompt_template_id,
  );
  const { project_id: project } = params;
  if (found === null || (project !== undefined && found.body.home_project !== project)) {
    throw templateNotFound();
  }
  return found.body;
};

const templateNotFound = (): Fault => new Fault('not-found', 'Prompt template not found');
