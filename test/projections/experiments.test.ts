import { expect } from 'chai';
import type { ExperimentEvent, ExperimentScopeEvent } from '../../events/experiments.js';
import type { ExperimentGroupId, RunId, TagId } from '../../kernel/schema-types.js';
import { experimentList } from '../../projections/experiment-list.js';
import { experimentMembers } from '../../projections/experiment-members.js';
import { experimentWinners } from '../../projections/experiment-winners.js';
import { rankingCriteria } from '../../projections/ranking-criteria.js';
import { documentsOf } from '../support/documents-of.js';
import { experimentCreated } from '../support/experiment-facts.js';
import { instantAfter, recordedAt } from '../support/test-log.js';
import { organization, projectId, userId } from '../support/access-events.js';
import { uuid } from '../support/recorded-project.js';

const id = uuid(1) as RunId;
const project = projectId(1);
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
const assigned: ExperimentEvent = { type: 'ExperimentGroupAssigned', data: { ...place, group } };
const deleted: ExperimentEvent = { type: 'ExperimentDeleted', data: place };
const tag = (value: string): ExperimentEvent => ({
  type: 'ExperimentTagged',
  data: {
    ...place,
    tag_id: uuid(9) as TagId,
    key: 'k',
    value,
    tag_type: 't',
    created_by: userId(1),
    created_at: instantAfter(1),
  },
});
const choice = (type: 'ExperimentWinnerChosen' | 'ExperimentWinnerWithdrawn', run = id) =>
  ({ type, data: { ...place, run_id: run, group_id: null } }) satisfies ExperimentScopeEvent;

describe('the list of experiments', () => {
  const [unchanged] = documentsOf(experimentList, made);

  it('lists experiments by project, unchanged ones without a time of change', () => {
    expect(unchanged).to.deep.include({ key: id, scope: project });
    expect(unchanged?.body).to.include({ name: 'one', updated_at: null, group: null });
    expect(unchanged?.fields).to.include({ name: 'one', experiment_group_id: null });
  });

  it('records changes and their time', () => {
    const renamed: ExperimentEvent = {
      type: 'ExperimentRenamed',
      data: { ...place, name: 'two', task_type: 17 },
    };
    const [document] = documentsOf(experimentList, made, renamed, assigned);
    expect(document?.body).to.deep.include({ name: 'two', task_type: 17, group });
    expect(document?.body.updated_at).to.equal(recordedAt(2, assigned).metadata.at);
    expect(document?.fields).to.include({
      experiment_group_id: group.id,
      experiment_group_name: 'prompts',
    });
  });

  it('keeps tags until they are removed', () => {
    const [tagged] = documentsOf(experimentList, made, tag('a'));
    expect(tagged?.body.tags.map(({ value }) => value)).to.deep.equal(['a']);
    const changed: ExperimentEvent = {
      type: 'ExperimentTagChanged',
      data: {
        ...place,
        tag_id: uuid(9) as TagId,
        key: 'k',
        value: 'b',
        tag_type: 't',
        changed_at: instantAfter(5),
      },
    };
    const [other] = documentsOf(experimentList, made, tag('a'), changed);
    expect(other?.body.tags[0]).to.include({ value: 'b', updated_at: instantAfter(5) });
    const untagged: ExperimentEvent = {
      type: 'ExperimentUntagged',
      data: { ...place, tag_id: uuid(9) as TagId },
    };
    const [none] = documentsOf(experimentList, made, tag('a'), untagged);
    expect(none?.body.tags).to.deep.equal([]);
  });

  it('updates the time of change when a winner is chosen', () => {
    const [document] = documentsOf(experimentList, made, choice('ExperimentWinnerChosen'));
    expect(document?.body.updated_at).not.to.equal(null);
    expect(document?.body).to.deep.equal({
      ...unchanged?.body,
      updated_at: document?.body.updated_at,
    });
  });

  it('drops a deleted experiment, even when later events arrive', () => {
    expect(documentsOf(experimentList, made, deleted)).to.deep.equal([]);
    const late = choice('ExperimentWinnerWithdrawn');
    expect(documentsOf(experimentList, made, deleted, late)).to.deep.equal([]);
  });
});

describe('experiment members', () => {
  const key = `${project}/${id.slice(0, 2)}`;

  it('are partitioned, each part with the position of its last change', () => {
    const [part] = documentsOf(experimentMembers, made, assigned);
    const changed = Number.parseInt(recordedAt(1, assigned).position, 16);
    expect(part).to.deep.equal({
      key,
      scope: project,
      fields: { changed },
      body: { [id]: group.id },
    });
  });

  it('leave an updated part when they are deleted, so that readers see it', () => {
    const [part] = documentsOf(experimentMembers, made, deleted);
    expect(part?.body).to.deep.equal({});
    expect(part?.fields['changed']).to.equal(Number.parseInt(recordedAt(1, deleted).position, 16));
  });
});

describe('winners and ranking criteria', () => {
  it('keep the last winner of a scope until it is withdrawn', () => {
    const other = choice('ExperimentWinnerChosen', uuid(2) as RunId);
    const first = choice('ExperimentWinnerChosen');
    const [kept] = documentsOf(
      experimentWinners,
      first,
      other,
      choice('ExperimentWinnerWithdrawn'),
    );
    expect(kept).to.deep.include({ key: project, body: { run_id: uuid(2) } });
    expect(
      documentsOf(experimentWinners, first, choice('ExperimentWinnerWithdrawn')),
    ).to.deep.equal([]);
  });

  it('keep the last criteria, and drop them when the default is restored', () => {
    const set = (weight: number) => ({
      type: 'RankingCriteriaSet' as const,
      data: {
        project_id: project,
        criteria: [{ metric: 'm', weight, direction: 'higher' as const }],
      },
    });
    const reset = { ...set(1), data: { project_id: project, criteria: [] } };
    const [last] = documentsOf(rankingCriteria, set(1), set(2));
    expect(last?.body.criteria[0]?.weight).to.equal(2);
    expect(documentsOf(rankingCriteria, set(1), reset)).to.deep.equal([]);
  });
});
