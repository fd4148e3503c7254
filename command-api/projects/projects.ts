import type { ProjectCreated, ProjectEvent } from '../../events/projects.js';
import { reject, type Decide } from '../../kernel/decision.js';
import type { ProjectId } from '../../kernel/schema-types.js';
import type { Project } from '../facts/projects.js';

type ProjectChange = {
  readonly name?: string | null;
  readonly description?: string | null;
  readonly labels?: readonly string[] | null;
};

/** New projects use the shipped price list (contract 5.4). */
export const create =
  (creation: Omit<ProjectCreated, 'use_shipped'>): Decide<Project | null, ProjectEvent> =>
  (project) =>
    project === null ? [{ type: 'ProjectCreated', data: { ...creation, use_shipped: true } }] : [];

/** Null or absent: the member stays as it is (contract 7, on 1.2). */
export const change =
  (id: ProjectId, wanted: ProjectChange): Decide<Project | null, ProjectEvent> =>
  (project) => {
    if (project === null || !project.live) return reject('not-found', 'Project not found');
    const name = wanted.name ?? project.name;
    const description = wanted.description ?? project.description;
    const labels = [...(wanted.labels ?? project.labels)];
    const events: ProjectEvent[] = [];
    if (name !== project.name)
      events.push({ type: 'ProjectRenamed', data: { project_id: id, name } });
    if (description !== project.description || !equal(labels, project.labels)) {
      events.push({ type: 'ProjectDetailsChanged', data: { project_id: id, description, labels } });
    }
    return events;
  };

export const remove =
  (id: ProjectId): Decide<Project | null, ProjectEvent> =>
  (project) =>
    project === null || !project.live ? [] : [{ type: 'ProjectDeleted', data: { project_id: id } }];

const equal = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((one, index) => one === others[index]);
