import { change, create, remove } from '../../command-api/projects/projects.js';
import { projects } from '../../command-api/facts/projects.js';
import type { ProjectEvent } from '../../events/projects.js';
import { deciderSpec } from '../support/decider-spec.js';
import { instantAfter } from '../support/test-log.js';
import { organization, projectId, userId } from '../support/access-events.js';

const given = deciderSpec(projects);
const id = projectId(1);
const creation = {
  project_id: id,
  organization_id: organization,
  name: 'project 1',
  type: 'gen_ai',
  created_by: userId(1),
  created_at: instantAfter(0),
};
const made: ProjectEvent = {
  type: 'ProjectCreated',
  data: { ...creation, use_shipped: true },
};
const renamed: ProjectEvent = { type: 'ProjectRenamed', data: { project_id: id, name: 'new' } };
const described: ProjectEvent = {
  type: 'ProjectDetailsChanged',
  data: { project_id: id, description: 'words', labels: ['a'] },
};
const deleted: ProjectEvent = { type: 'ProjectDeleted', data: { project_id: id } };

describe('deciding on projects', () => {
  it('creates one', () => given().when(create(creation)).then(made));

  it('renames and describes, an event for each', () =>
    given(made)
      .when(change(id, { name: 'new', description: 'words', labels: ['a'] }))
      .then(renamed, described));

  it('leaves what is null, absent or already so', () => {
    given(made, described)
      .when(change(id, { name: null, description: 'words' }))
      .thenNothing();
    given(made).when(change(id, {})).thenNothing();
  });

  it('treats a different order of labels as a change', () =>
    given(made, { ...described, data: { ...described.data, labels: ['a', 'b'] } })
      .when(change(id, { labels: ['b', 'a'] }))
      .then({ ...described, data: { ...described.data, labels: ['b', 'a'] } }));

  it('refuses to change an unknown or deleted project', () => {
    given()
      .when(change(id, { name: 'new' }))
      .thenRejected('not-found');
    given(made, deleted)
      .when(change(id, { name: 'new' }))
      .thenRejected('not-found');
  });

  it('deletes once', () => {
    given(made).when(remove(id)).then(deleted);
    given().when(remove(id)).thenNothing();
  });
});
