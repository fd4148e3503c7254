import { expect } from 'chai';
import { sha256 } from '../../engines/node/digest.js';
import type { Event } from '../../kernel/ports.js';
import { changesByEvent } from '../../projections/states/changes.js';
import { openMask } from '../../projections/states/masked-state.js';
import { stateDefinitions } from '../../projections/states/state-definitions.js';
import { sha256Hex } from '../support/history.js';
import { recordedAt } from '../support/test-log.js';
import { traceLoggedEvent } from '../support/trace-logged-event.js';
import { projectId, traceId } from '../support/random-trace-logs.js';

const canary = 'the customer said: my card is 4000-1234';
const digest = { sha256: sha256Hex(canary), bytes: canary.length };

/** State before and after each of the events, as the history shows it. */
const shownOf = (type: 'trace' | 'scorer_task', id: string, happened: readonly Event[]) => {
  const events = happened.map((event, at) => recordedAt(at + 1, event));
  const subject = { type, id, projectId, stream: null };
  const wanted = new Set(events.map((event) => event.id));
  const changes = changesByEvent(stateDefinitions[type], subject, events, {
    wanted,
    mask: openMask(sha256),
  });
  return events.map((event) => changes.get(event.id));
};

describe('history of texts that scorers made', () => {
  it('masks text values of metrics and messages of evaluation errors of a trace', () => {
    const scores = {
      verdict: canary,
      broken_ems_error_code: 4711,
      broken_error_message: canary,
      toxicity: 0.5,
      safe: true,
    };
    const [made, scored] = shownOf('trace', traceId(1), [
      traceLoggedEvent(1, { metrics: { note: canary, tokens: 3 } }),
      {
        type: 'ScoresRecorded',
        data: { project_id: projectId, trace_id: traceId(1), record_id: traceId(1), scores },
      },
    ]);
    expect(JSON.stringify([made, scored])).not.to.include(canary);
    expect(made?.after?.['metrics']).to.deep.equal({ note: digest, tokens: 3 });
    expect(scored?.after?.['metrics']).to.deep.include({
      verdict: digest,
      toxicity: 0.5,
      safe: true,
    });
    const info = scored?.after?.['metric_info'] as Readonly<Record<string, object>>;
    expect(info['verdict']).to.deep.include({ status_type: 'success', value: digest });
    expect(info['toxicity']).to.deep.include({ value: 0.5 });
    expect(info['broken']).to.deep.include({ ems_error_code: 4711, message: digest });
    expect(info['broken']).to.have.nested.property('standard_error.message.bytes', digest.bytes);
  });

  const id = traceId(2);
  const requested = (number: number): Event => ({
    type: 'ScorerValidationRequested',
    data: {
      task_id: id,
      project_id: projectId,
      organization_id: projectId,
      run_id: null,
      created_by: projectId,
      created_at: `2026-03-01T09:00:0${number}.000000Z`,
      dataset: null,
      required_scorers: [],
      scoreable_node_types: ['chain'],
      score_type: 'str',
      sha256: '00',
    },
  });
  const completed = (result: object): Event => ({
    type: 'ScorerValidationCompleted',
    data: { task_id: id, sandbox: 'strict', result, completed_at: '2026-03-01T09:00:09.000000Z' },
  });

  it('masks text scores and aggregates of a validation, and shows numbers', () => {
    const [, after] = shownOf('scorer_task', id, [
      requested(1),
      completed({
        result_type: 'valid',
        test_scores: [{ node_type: 'chain', score: canary, row_index: 0 }],
        aggregates: { worst: canary, rows: 1 },
      }),
    ]);
    expect(JSON.stringify(after)).not.to.include(canary);
    expect(after?.after?.['result']).to.deep.include({
      result_type: 'valid',
      aggregates: { worst: digest, rows: 1 },
    });
    const scores = [{ node_type: 'chain', score: 0.5 }];
    const [, numbers] = shownOf('scorer_task', id, [
      requested(2),
      completed({ result_type: 'valid', test_scores: scores, aggregates: {} }),
    ]);
    expect(numbers?.after?.['result']).to.deep.include({ test_scores: scores });
  });

  it('masks content quoted in errors of a validation', () => {
    const failed: Event = {
      type: 'ScorerValidationFailed',
      data: { task_id: id, message: canary, failed_at: '2026-03-01T09:00:09.000000Z' },
    };
    for (const end of [completed({ result_type: 'invalid', error_message: canary }), failed]) {
      const [, after] = shownOf('scorer_task', id, [requested(3), end]);
      expect(JSON.stringify(after), end.type).not.to.include(canary);
      expect(after?.after?.['result']).to.deep.include({ error_message: digest });
    }
  });
});
