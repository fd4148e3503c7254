import { expect } from 'chai';
import {
  openFreshScores,
  stepOf,
  type ActiveScorer,
  type ScoringTarget,
} from '../../command-api/run-scoring/scorer-steps.js';
import { scoredTrace } from '../../command-api/run-scoring/scored-trace.js';
import type { StoredEvent } from '../../kernel/ports.js';

const recorded = (type: string, data: object, revision: number, actor = 'user'): StoredEvent =>
  ({ type, data, revision, metadata: { actor: { type: actor } } }) as unknown as StoredEvent;

describe('arguments of a scorer for a record', () => {
  const content = { type: 'trace', id: 't', metrics: { gone: 1, kept: 2 } };
  const logged = { project_id: 'p', run_id: 'r', trace_id: 't', trace: content, spans: [] };
  const scores = Object.fromEntries([
    ['__proto__', 5],
    ['gone', null],
  ]);
  const trace = scoredTrace([
    recorded('TraceLogged', { ...logged, is_complete: true }, 0),
    recorded('ScoresRecorded', { record_id: 't', scores }, 1),
  ]);

  it('contains own metrics only, whatever their names, and required scores', () => {
    if (trace === null) throw new Error('the trace was not folded');
    const required_scorers = ['__proto__', 'constructor', 'toString', 'kept'];
    const active = { scorer: { details: { required_scorers } } } as unknown as ActiveScorer;
    const target = { trace, record: 't', nodeType: 'trace' } as const;
    const { metrics, required_scores: required } = stepOf(target, active);
    expect(JSON.stringify(metrics)).to.equal('{"kept":2,"__proto__":5}');
    expect(JSON.stringify(required)).to.equal('{"__proto__":5,"kept":2}');
  });

  it("prefers a client's value to a scorer's score, even a fresh one", () => {
    const made = { kept: 7, own: 8 };
    const after = scoredTrace([
      recorded('TraceLogged', { ...logged, is_complete: true }, 0),
      recorded('ScoresRecorded', { record_id: 't', scores: made }, 1, 'service'),
      recorded('ScoresRecorded', { record_id: 't', scores: { kept: null } }, 2, 'service'),
    ]);
    if (after === null) throw new Error('the trace was not folded');
    const active = {
      scorer: { details: { required_scorers: ['kept', 'own'] } },
    } as unknown as ActiveScorer;
    const target = { trace: after, record: 't', nodeType: 'trace' } as const;
    const step = stepOf(target, active, { kept: 9, own: 10 });
    expect(step.metrics).to.deep.equal({ gone: 1, kept: 2, own: 8 });
    expect(step.required_scores).to.deep.equal({ kept: 2, own: 10 });
  });
});

describe('fresh scores of a round', () => {
  it('are hidden from a record of the same id in another project', () => {
    const targetIn = (projectId: string): ScoringTarget =>
      ({
        trace: { projectId, id: 't' },
        record: 't',
        nodeType: 'trace',
      }) as unknown as ScoringTarget;
    const found = openFreshScores();
    const active = { scorer: { name: 'first' } } as unknown as ActiveScorer;
    found.note(active, [targetIn('one')], [{ score: 1 }]);
    expect(found.of(targetIn('one'))).to.deep.equal({ first: 1 });
    expect(found.of(targetIn('other'))).to.deep.equal({});
  });
});
