import { savedViews } from '../../command-api/facts/views.js';
import { change, create, remove } from '../../command-api/views/views.js';
import { ownViewsMax, projectViewsMax } from '../../contract/views.js';
import type { ProjectRole } from '../../contract/roles.js';
import { deciderSpec } from '../support/decider-spec.js';
import { projectId, userId, viewId, viewSaved } from '../support/access-events.js';
import { instantAfter } from '../support/test-log.js';

const given = deciderSpec(savedViews);
const project = projectId(1);
const caller = (number: number, role: ProjectRole = 'viewer') => ({ userId: userId(number), role });
const target = (number: number, by = caller(1)) => ({
  project,
  id: viewId(number),
  caller: by,
  ifMatch: null,
});
const changed = (
  number: number,
  changes: Parameters<typeof change>[0]['changes'],
  by = caller(1),
) => change({ ...target(number, by), changes, at: instantAfter(5) });
const deleted = (number: number) =>
  ({ type: 'ViewDeleted', data: { project_id: project, view_id: viewId(number) } }) as const;
const own = viewSaved(1, userId(1));
const shared = viewSaved(2, userId(2), { is_shared: true });
const resaved = { version: 2, saved_at: instantAfter(5) };

describe('deciding on saved views', () => {
  it('saves a private view for any reader, and a shared one for editors', () => {
    given()
      .when(create(own.data, caller(1)))
      .then(own);
    given()
      .when(create(shared.data, caller(2, 'editor')))
      .then(shared);
    given()
      .when(create(shared.data, caller(2, 'annotator')))
      .thenRejected('forbidden', 'yours is annotator');
  });

  it('refuses a second view of one name among those that one menu offers together', () => {
    const named = (number: number, by: number, more: object = {}) =>
      viewSaved(number, userId(by), { name: 'view 1', ...more }).data;
    const when = (data: ReturnType<typeof named>) =>
      given(own).when(create(data, caller(1, 'editor')));
    when(named(3, 1)).thenRejected('already-exists', "private view .* 'view 1'");
    when(named(3, 2)).then(viewSaved(3, userId(2), { name: 'view 1' }));
    for (const more of [{ is_shared: true }, { page: 'spans' }]) {
      when(named(3, 1, more)).then(viewSaved(3, userId(1), { name: 'view 1', ...more }));
    }
    given(own, deleted(1))
      .when(create(named(3, 1), caller(1)))
      .then(viewSaved(3, userId(1), { name: 'view 1' }));
  });

  it('refuses more views of a user, and of a project, than the limits', () => {
    const views = (count: number, by: (at: number) => number) =>
      Array.from({ length: count }, (_, at) => viewSaved(at + 10, userId(by(at))));
    given(...views(ownViewsMax, () => 1))
      .when(create(own.data, caller(1)))
      .thenRejected('conflict', `at most ${ownViewsMax}`);
    given(...views(projectViewsMax, (at) => 2 + (at % 50)))
      .when(create(own.data, caller(1)))
      .thenRejected('conflict', `at most ${projectViewsMax}`);
  });

  it('changes what is given and leaves what is not', () => {
    given(own)
      .when(changed(1, { state: 't=1h' }))
      .then(viewSaved(1, userId(1), { ...resaved, state: 't=1h' }));
    given(own)
      .when(changed(1, { name: 'new', state: null }))
      .then(viewSaved(1, userId(1), { ...resaved, name: 'new' }));
    given(own)
      .when(changed(1, { name: 'view 1', is_shared: false }))
      .thenNothing();
  });

  it('hides a private view from everybody but its creator', () => {
    given(own)
      .when(changed(1, { name: 'new' }, caller(2, 'owner')))
      .thenRejected('not-found');
    given(own)
      .when(remove(target(1, caller(2, 'owner'))))
      .thenNothing();
  });

  it('lets editors change and delete a shared view, and its creator alone unshare it', () => {
    given(shared)
      .when(changed(2, { state: '' }, caller(1, 'editor')))
      .then(viewSaved(2, userId(2), { ...resaved, is_shared: true, state: '' }));
    given(own)
      .when(changed(1, { is_shared: true }, caller(1, 'editor')))
      .then(viewSaved(1, userId(1), { ...resaved, is_shared: true }));
    given(shared)
      .when(remove(target(2, caller(1, 'editor'))))
      .then(deleted(2));
    given(shared)
      .when(changed(2, { is_shared: false }, caller(2, 'editor')))
      .then(viewSaved(2, userId(2), resaved));
    given(shared)
      .when(changed(2, { is_shared: false }, caller(1, 'owner')))
      .thenRejected('forbidden', 'creator');
    for (const decide of [
      changed(2, { name: 'new' }, caller(2)),
      changed(2, { is_shared: false }, caller(2)),
      remove(target(2, caller(2))),
    ]) {
      given(shared).when(decide).thenRejected('forbidden', 'editor');
    }
    given(own)
      .when(changed(1, { is_shared: true }))
      .thenRejected('forbidden', 'editor');
  });

  it('refuses a name that another view has, and a state that was changed meanwhile', () => {
    given(own, viewSaved(3, userId(1)))
      .when(changed(1, { name: 'view 3' }))
      .thenRejected('already-exists');
    given(own)
      .when(change({ ...target(1), ifMatch: ['2'], changes: { name: 'new' }, at: instantAfter(5) }))
      .thenRejected('precondition-failed');
    given(own)
      .when(remove({ ...target(1), ifMatch: ['2'] }))
      .thenRejected('precondition-failed');
    given(own)
      .when(remove({ ...target(1), ifMatch: ['1'] }))
      .then(deleted(1));
  });
});
