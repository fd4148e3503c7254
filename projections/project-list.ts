import type { ProjectFacts } from '../contract/projects.js';
import type { ProjectEvent } from '../events/projects.js';
import { unreachable } from '../kernel/decision.js';
import type { Document } from '../kernel/ports.js';
import type { Instant } from '../kernel/shapes.js';
import type { Projection } from './projection.js';

/**
 * Live projects by id, in the scope of their organisation. What depends on the caller is added by
 * the read.
 */
export const projectList: Projection<ProjectEvent, ProjectFacts> = {
  collection: {
    name: 'project_list',
    version: 1,
    fields: {
      id: 'id',
      name: 'text',
      type: 'text',
      created_by: 'id',
      created_at: 'date',
      updated_at: 'date',
    },
  },
  types: ['ProjectCreated', 'ProjectRenamed', 'ProjectDetailsChanged', 'ProjectDeleted'],
  keys: ({ data }) => [data.project_id],
  evolve: (document, { type, data, metadata }) => {
    switch (type) {
      case 'ProjectCreated':
        return documentOf(data.organization_id, {
          id: data.project_id,
          name: data.name,
          type: data.type,
          description: null,
          labels: [],
          created_by: data.created_by,
          created_at: data.created_at,
          updated_at: data.created_at,
        });
      case 'ProjectRenamed':
        return changed(document, { name: data.name }, metadata.at);
      case 'ProjectDetailsChanged':
        return changed(
          document,
          { description: data.description, labels: data.labels },
          metadata.at,
        );
      case 'ProjectDeleted':
        return null;
      default:
        return unreachable(type);
    }
  },
};

const documentOf = (organization: string, facts: ProjectFacts): Document<ProjectFacts> => ({
  key: facts.id,
  scope: organization,
  fields: {
    id: facts.id,
    name: facts.name,
    type: facts.type,
    created_by: facts.created_by,
    created_at: facts.created_at,
    updated_at: facts.updated_at,
  },
  body: facts,
});

const changed = (
  document: Document<ProjectFacts> | null,
  change: Partial<ProjectFacts>,
  at: Instant,
): Document<ProjectFacts> | null =>
  document && documentOf(document.scope, { ...document.body, ...change, updated_at: at });
