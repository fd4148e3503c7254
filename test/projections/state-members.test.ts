import { expect } from 'chai';
import { nouns } from '../../events/all.js';
import { streamForm } from '../../events/noun.js';
import { streamNameOf } from '../../kernel/ports.js';
import { projections } from '../../projections/projection-registry.js';
import { projectList } from '../../projections/project-list.js';
import { viewList } from '../../projections/view-list.js';
import { stateDefinitions } from '../../projections/states/state-definitions.js';
import { projectId } from '../support/random-trace-logs.js';
import { recordedAt } from '../support/test-log.js';

const subject = { type: 'project', id: projectId, projectId, stream: null };
const nounsOf = (type: 'project' | 'experiment'): readonly string[] => {
  const streams = stateDefinitions[type].streams({ ...subject, type });
  return streams.map((name) => name.slice(0, -(projectId.length + 1))).sort();
};

describe('the state of a container', () => {
  it('is folded from the streams named after a project (golden list)', () =>
    expect(nounsOf('project')).to.deep.equal([
      'annotation-templates',
      'experiment-scope',
      'model-access',
      'price-list',
      'project',
      'ranking-criteria',
      'views',
    ]));

  it('is folded from the streams named after a run (golden list)', () =>
    expect(nounsOf('experiment')).to.deep.equal([
      'insights-settings',
      'run',
      'run-scoring',
      'scorer-settings',
    ]));

  it('shows a read model of each stream named after a project', () => {
    const shown = projections.filter(
      (one) => one.projectState !== undefined || one === projectList || one === viewList,
    );
    const folded = shown.flatMap(({ events }) => Object.keys(events));
    for (const { stream, events } of nouns) {
      const { noun } = streamForm(stream);
      if (nounsOf('project').includes(noun)) {
        expect(folded, noun).to.include.oneOf(Object.keys(events));
      }
    }
  });

  it('has a member of a project for each read model that declares one', () => {
    const state = stateDefinitions.project.open(subject);
    const at = '2026-03-01T00:00:00.000000Z';
    const prices = [{ model: 'm', from: at, input: 1, output: 2 }];
    const data = { project_id: projectId };
    const created = { organization_id: 'o', name: 'p', type: 'gen_ai', created_by: 'u' };
    const events = [
      {
        type: 'ProjectCreated',
        data: { ...data, ...created, created_at: at },
      },
      { type: 'PriceListSet', data: { ...data, prices } },
      { type: 'ExperimentWinnerChosen', data: { ...data, group_id: null, run_id: 'r' } },
    ];
    const stream = streamNameOf('project', projectId);
    state.fold(events.map((event, index) => ({ ...recordedAt(index + 1, event), stream })));
    expect(state.snapshot()).to.deep.include({
      annotation_templates: [],
      prices,
      ranking_criteria: null,
      views: {},
      winner: 'r',
    });
  });
});
