import { expect } from 'chai';
import {
  streamPrefixesOf,
  streamsNamedAfter,
  type DeletedContainer,
} from '../../command-api/erasures/stream-prefixes.js';

const project: DeletedContainer = { kind: 'project', id: 'p', project: 'p' };
const run: DeletedContainer = { kind: 'run', id: 'r', project: 'p' };

describe('the streams that a deletion erases', () => {
  it('are named after the project, its own last (golden list)', () => {
    const names = streamsNamedAfter(project);
    expect(names.at(-1)).to.equal('project-p');
    expect([...names].sort()).to.deep.equal([
      'annotation-templates-p',
      'experiment-scope-p',
      'model-access-p',
      'price-list-p',
      'project-p',
      'ranking-criteria-p',
      'scorer-queue-p',
      'views-p',
    ]);
  });

  it('are named after the run, its own last (golden list)', () => {
    const names = streamsNamedAfter(run);
    expect(names.at(-1)).to.equal('run-r');
    expect([...names].sort()).to.deep.equal([
      'insights-settings-r',
      'run-r',
      'run-scoring-r',
      'scorer-settings-r',
    ]);
  });

  it('have a prefix of their project, or one of all projects (golden list)', () => {
    const prefixes = streamPrefixesOf([project, { ...project, id: 'q', project: 'q' }]);
    expect(prefixes.slice(0, 4).map(({ prefix }) => prefix)).to.have.members([
      'session-p-',
      'session-q-',
      'trace-p-',
      'trace-q-',
    ]);
    expect(prefixes.map(({ prefix, owner }) => `${prefix} ${owner}`).sort()).to.deep.equal([
      'experiment-scope- null',
      'idempotency-answer-p- p',
      'idempotency-answer-q- q',
      'insights-settings- null',
      'past-scoring- null',
      'run- null',
      'scorer-settings- null',
      'scorer-task- null',
      'session-p- p',
      'session-q- q',
      'sized-session-p- p',
      'sized-session-q- q',
      'trace-p- p',
      'trace-q- q',
    ]);
  });

  it('have a prefix of their run, or one of its project (golden list)', () => {
    const prefixes = streamPrefixesOf([run, { ...run, id: 's' }]);
    expect(prefixes.map(({ prefix, owner }) => `${prefix} ${owner}`).sort()).to.deep.equal([
      'idempotency-answer-p-r- r',
      'idempotency-answer-p-s- s',
      'past-scoring-r- r',
      'past-scoring-s- s',
      'session-p- null',
      'trace-p- null',
    ]);
  });

  it('have no prefix without a deletion', () => expect(streamPrefixesOf([])).to.deep.equal([]));
});
