import {
  mayWriteDataset,
  seesAllDatasets,
  seesOwnDatasets,
} from '../../contract/dataset-rights.js';
import type { DatasetFacts } from '../../contract/datasets.js';
import type { Principal, ProjectRole } from '../../contract/roles.js';
import type { Filter } from '../../kernel/filter.js';
import { projectSearchKey } from '../../projections/dataset-list.js';
import { projectList, type ListedProject } from '../../projections/project-list.js';
import { allOf } from '../listings.js';
import { anyOf, projectVisibility, type VisibilityNeeds } from '../project-visibility.js';

/** Facts that determine who reads and writes a resource of the organisation. */
type OwnedFacts = Pick<DatasetFacts, 'created_by' | 'home_project' | 'projects'>;

/**
 * Visibility: the datasets of their organisation that a caller sees, according to the read models.
 */
export type DatasetVisibility = {
  /** Filters on `datasetList`: hold exactly for the visible datasets. */
  readonly filters: () => Promise<readonly Filter[]>;
  /** Live projects among `ids` that the caller sees. */
  readonly visibleProjects: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Write permission and project counts for responses about these datasets. */
  readonly rightsAndCounts: (facts: readonly OwnedFacts[]) => Promise<{
    readonly mayWrite: (facts: OwnedFacts) => boolean;
    /** Number of live linked projects. */
    readonly projectCount: (facts: OwnedFacts) => number;
  }>;
};

/** Projects with a role of the caller that lists take into account; further ones do not show. */
const projectsMax = 1_000;

/** Visibility of datasets for reads (contract 2.6, rule 4). */
export const datasetVisibility = async (
  needs: VisibilityNeeds,
  principal: Principal,
): Promise<DatasetVisibility> => {
  const { documents } = needs;
  const visibility = await projectVisibility(needs, principal);
  return {
    filters: async () => {
      if (seesAllDatasets(principal)) return [];
      const { documents: projects } = await documents.find(projectList.collection, {
        scope: principal.organizationId,
        filter: allOf(visibility.filters),
        limit: projectsMax,
      });
      const own: readonly Filter[] = seesOwnDatasets(principal) ? [createdBy(principal)] : [];
      return [anyOf([...own, ...projects.map(({ key }) => linkedToProject(key))])];
    },
    visibleProjects: async (ids) => {
      if (ids.length === 0) return new Set();
      const { documents: found } = await documents.find(projectList.collection, {
        scope: principal.organizationId,
        filter: allOf([idIsOneOf(ids), ...visibility.filters]),
        limit: ids.length,
      });
      return new Set(found.map(({ key }) => key));
    },
    rightsAndCounts: async (facts) => {
      const ids = new Set(facts.flatMap((one) => one.projects));
      const live = await documents.load(projectList.collection, [...ids]);
      const roleIn = (id: string): ProjectRole | null => {
        const found = live.get(id);
        return found === undefined ? null : visibility.roleIn(found.body as ListedProject);
      };
      return {
        mayWrite: ({ created_by: creator, home_project: home }) => {
          const owned = { createdBy: creator, home };
          return mayWriteDataset(principal, owned, home === null ? null : roleIn(home));
        },
        projectCount: (one) => one.projects.filter((id) => live.has(id)).length,
      };
    },
  };
};

const createdBy = ({ userId }: Principal): Filter => ({
  kind: 'id',
  column: 'created_by',
  operator: 'eq',
  values: [userId],
  caseSensitive: true,
});
export const idIsOneOf = (ids: readonly string[]): Filter => ({
  kind: 'id',
  column: 'id',
  operator: 'one_of',
  values: ids,
  caseSensitive: true,
});
export const linkedToProject = (project: string): Filter => ({
  kind: 'text',
  column: 'projects',
  operator: 'contains',
  values: [projectSearchKey(project)],
  caseSensitive: true,
});
