import { expect } from 'chai';
import {
  change,
  changeTag,
  create,
  experiments,
  remove,
  tag,
  tagsMax,
  untag,
} from '../../command-api/experiments/experiments.js';
import {
  chooseWinner,
  makeGroup,
  experimentScopes,
  withdrawWinner,
} from '../../command-api/experiments/scopes.js';
import { runs } from '../../command-api/facts/runs.js';
import type { ExperimentEvent, ExperimentScopeEvent } from '../../events/experiments.js';
import type { ExperimentGroupId, RunId, TagId } from '../../kernel/schema-types.js';
import { deciderSpec } from '../support/decider-spec.js';
import { experimentCreated } from '../support/experiment-facts.js';
import { instantAfter } from '../support/test-log.js';
import { organization, projectId, userId } from '../support/access-events.js';
import { uuid } from '../support/recorded-project.js';

const given = deciderSpec(experiments);
const id = uuid(1) as RunId;
const [project, other] = [projectId(1), projectId(2)];
const place = { run_id: id, project_id: project };
const group = { id: uuid(7) as ExperimentGroupId, name: 'prompts' };
const created = experimentCreated({
  ...place,
  organization_id: organization,
  name: 'one',
  created_by: userId(1),
  created_at: instantAfter(0),
});
const made: ExperimentEvent = { type: 'ExperimentCreated', data: created };
const deleted: ExperimentEvent = { type: 'ExperimentDeleted', data: place };
const tagId = uuid(9) as TagId;
const content = { key: 'model', value: 'a', tag_type: 'generic' };
const tagData = {
  ...place,
  tag_id: tagId,
  ...content,
  created_by: userId(1),
  created_at: instantAfter(1),
};
const tagged: ExperimentEvent = { type: 'ExperimentTagged', data: tagData };
const tagging = { run: id, project, tag: tagId, at: instantAfter(1) };
const same = { name: 'one', taskType: null, group: null };

describe('deciding on experiments', () => {
  it('creates one', () => given().when(create(created)).then(made));

  it('renames, changes the task and puts into a group in one step', () =>
    given(made)
      .when(change(id, project, { name: 'two', taskType: 17, group }))
      .then(
        { type: 'ExperimentRenamed', data: { ...place, name: 'two', task_type: 17 } },
        { type: 'ExperimentGroupAssigned', data: { ...place, group } },
      ));

  it('changes nothing when the state is already as requested', () =>
    given(made)
      .when(change(id, project, { ...same, taskType: 16 }))
      .thenNothing());

  it('records a changed task along with the unchanged name', () =>
    given(made)
      .when(change(id, project, { ...same, taskType: 17 }))
      .then({ type: 'ExperimentRenamed', data: { ...place, name: 'one', task_type: 17 } }));

  it('deletes once, and not from another project', () => {
    given(made).when(remove(id, project)).then(deleted);
    given(made).when(remove(id, other)).thenNothing();
  });

  it('refuses to change what is unknown, deleted, of another project or not an experiment', () => {
    const decide = change(id, project, same);
    given().when(decide).thenRejected('not-found');
    given(made, deleted).when(decide).thenRejected('not-found');
    given(made)
      .when(change(id, other, same))
      .thenRejected('not-found');
    given({
      type: 'LogStreamCreated',
      data: { ...place, ...created, name: 'log stream' },
    } as unknown as ExperimentEvent)
      .when(decide)
      .thenRejected('not-found');
  });

  it('counts as a run in lists of runs', () => {
    const [run, gone] = [[made], [made, tagged, deleted]].map((events) =>
      events.reduce(runs.evolve, runs.initial),
    );
    expect(run).to.include({ kind: 'experiment', name: 'one', live: true, projectId: project });
    expect(gone).to.include({ live: false });
  });
});

describe('deciding on tags of experiments', () => {
  const changedContent = { ...content, value: 'b' };

  it('tags once', () =>
    given(made)
      .when(tag(tagging, content, userId(1)))
      .then(tagged));
  it('changes a tag', () =>
    given(made, tagged)
      .when(changeTag({ ...tagging, at: instantAfter(2) }, changedContent))
      .then({
        type: 'ExperimentTagChanged',
        data: { ...place, tag_id: tagId, ...changedContent, changed_at: instantAfter(2) },
      }));
  it('leaves a tag as it is', () =>
    given(made, tagged).when(changeTag(tagging, content)).thenNothing());
  it('untags', () =>
    given(made, tagged)
      .when(untag(id, project, tagId))
      .then({ type: 'ExperimentUntagged', data: { ...place, tag_id: tagId } }));
  it('does nothing when there is no such tag to remove', () =>
    given(made)
      .when(untag(id, project, tagId))
      .thenNothing());

  it('refuses an unknown tag, and any tag of a deleted experiment', () => {
    given(made).when(changeTag(tagging, content)).thenRejected('not-found');
    given(made, deleted).when(changeTag(tagging, content)).thenRejected('not-found');
    given(made, deleted)
      .when(tag(tagging, content, userId(1)))
      .thenRejected('not-found');
  });

  it('refuses more tags than are allowed', () => {
    const many = Array.from({ length: tagsMax }, (_, at): ExperimentEvent => ({
      type: 'ExperimentTagged',
      data: { ...tagData, tag_id: uuid(100 + at) as TagId },
    }));
    given(made, ...many)
      .when(tag(tagging, content, userId(1)))
      .thenRejected('invalid');
  });
});

describe('deciding on groups and winners of experiments', () => {
  const inScope = deciderSpec(experimentScopes);
  const candidate = { run: id, project, group: null };
  const chosen: ExperimentScopeEvent = {
    type: 'ExperimentWinnerChosen',
    data: { ...place, group_id: null },
  };

  it('makes a group once', () =>
    inScope()
      .when(makeGroup(group.id, project, group.name))
      .then({
        type: 'ExperimentGroupCreated',
        data: { group_id: group.id, project_id: project, name: group.name },
      }));

  it('chooses a winner, in place of the one before', () => {
    inScope().when(chooseWinner(candidate)).then(chosen);
    const run = uuid(2) as RunId;
    inScope(chosen)
      .when(chooseWinner({ ...candidate, run }))
      .then({ type: 'ExperimentWinnerChosen', data: { ...chosen.data, run_id: run } });
  });

  it('withdraws only the choice of that experiment', () => {
    inScope(chosen)
      .when(withdrawWinner(candidate))
      .then({ type: 'ExperimentWinnerWithdrawn', data: chosen.data });
    inScope(chosen)
      .when(withdrawWinner({ ...candidate, run: uuid(2) as RunId }))
      .thenNothing();
  });
});
