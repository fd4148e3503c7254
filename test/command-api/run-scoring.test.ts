import { expect } from 'chai';
import {
  begin,
  finish,
  openScorings,
  type OpenScoring,
} from '../../command-api/run-scoring/jobs.js';
import type { RunScoringEvent } from '../../events/run-scoring.js';
import type { Instant, ProjectId, RunId } from '../../kernel/shapes.js';

const at = '2026-03-01T09:00:00.000000Z' as Instant;
const place = { project_id: 'p' as ProjectId, run_id: 'r' as RunId };
const started = { ...place, scorers: ['a'], steps: 3, started_at: at };
const ended = { ...place, error_message: null, ended_at: at };
const after = (open: OpenScoring, decided: ReturnType<ReturnType<typeof begin>>): OpenScoring => {
  expect(decided).to.be.an('array');
  return (decided as readonly RunScoringEvent[]).reduce(
    (state, event) => openScorings.evolve(state, event as never),
    open,
  );
};

describe('scoring of a run', () => {
  it('begins once, also when a lost worker began it', () => {
    const first = begin(started)(null);
    expect(first).to.deep.equal([{ type: 'RunScoringStarted', data: started }]);
    const open = after(null, first);
    expect(begin({ ...started, started_at: `${at}9` as Instant })(open)).to.deep.equal([]);
    expect(begin({ ...started, steps: 4 })(open)).to.have.length(1);
  });

  it('ends once, and only what was begun', () => {
    const open = after(null, begin(started)(null));
    const end = finish(ended)(open);
    expect(end).to.deep.equal([{ type: 'RunScoringEnded', data: ended }]);
    expect(finish(ended)(after(open, end))).to.deep.equal([]);
  });
});
