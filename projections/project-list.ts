import type { ProjectFacts } from '../contract/projects.js';
import type { ProjectEvent } from '../events/projects.js';
import { unreachable } from '../kernel/decision.js';
import type { Document } from '../kernel/ports.js';
import type { Projection } from './projection.js';

/** Live projects by id, within their organisation. */
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
  evolve: (document, event) => {
    const { type, data } = event;
    const changed = (facts: Partial<ProjectFacts>): Document<ProjectFacts> | null =>
      document &&
      listed(document.scope, { ...document.body, ...facts, updated_at: event.metadata.at });
    switch (type) {
      case 'ProjectCreated':
        return listed(data.organization_id, {
          id: data.project_id,
          name: data.name,
          type: data.type,
          description: null,
          labels: [],
          created_by: data.created_by,
          created_at: data.created_at,
          updated_at: null,
        });
      case 'ProjectRenamed':
        return changed({ name: data.name });
      case 'ProjectDetailsChanged':
        return changed({ description: data.description, labels: data.labels });
      case 'ProjectDeleted':
        return null;
      default:
        return unreachable(type);
    }
  },
};

const listed = (organization: string, body: ProjectFacts): Document<ProjectFacts> => ({
  key: body.id,
  scope: organization,
  fields: {
    id: body.id,
    name: body.name,
    type: body.type,
    created_by: body.created_by,
    created_at: body.created_at,
    updated_at: body.updated_at,
  },
  body,
});
