import { expect } from 'chai';
import type { RecordContent, SessionEvent, TraceEvent } from '../../events/traces.js';
import type { StreamName } from '../../kernel/ports.js';
import { toRecordView } from '../../kernel/records/record-view.js';
import type { RecordRow } from '../../kernel/records/record.js';
import { foldBatch } from '../../projections/records/batch.js';
import {
  instantAt,
  logOf,
  projectId,
  rowStore,
  runId,
  sessionId,
  sessionStream,
  traceId,
  traceStream,
} from '../support/random-trace-logs.js';

const created = instantAt(0);

describe("a session's row", () => {
  const started: SessionEvent = {
    type: 'SessionStarted',
    data: {
      project_id: projectId,
      run_id: runId,
      run_kind: 'log_stream',
      session_id: sessionId(1),
      name: 's',
      external_id: 'e',
      previous_session_id: null,
      user_metadata: {},
      created_at: created,
      minted: false,
    },
  };
  /** Trace `number` of the session, and what happens to it. */
  const trace = (
    number: number,
    seconds: number,
    members: Partial<RecordContent> = {},
  ): readonly [StreamName, TraceEvent] => [
    traceStream(number),
    {
      type: 'TraceLogged',
      data: {
        ...of1(number),
        run_id: runId,
        run_kind: 'log_stream',
        session_id: sessionId(1),
        is_complete: true,
        logging_method: 'api_direct',
        trace: { type: 'trace', id: traceId(number), created_at: instantAt(seconds), ...members },
        spans: [],
      },
    },
  ];
  const of1 = (number: number) => ({ project_id: projectId, trace_id: traceId(number) });
  const gone = (number: number): readonly [StreamName, TraceEvent] => [
    traceStream(number),
    { type: 'TraceDeleted', data: of1(number) },
  ];
  const own = (
    number: number,
    score: number | null,
    method: 'sum' | 'max' | 'average' = 'average',
  ): readonly [StreamName, TraceEvent] => [
    traceStream(number),
    {
      type: 'ScoresRecorded',
      data: {
        ...of1(number),
        record_id: traceId(number),
        scores: { own: score },
        roll_up_methods: { own: method },
      },
    },
  ];
  /** Each event is a batch. */
  const session = async (
    ...events: readonly (readonly [StreamName, TraceEvent | SessionEvent])[]
  ): Promise<RecordRow> => {
    const log = logOf();
    log.append(sessionStream(1), started);
    for (const [name, event] of events) log.append(name, event);
    const store = rowStore();
    for (const event of log.events) store.write((await foldBatch(store, [event])).writes.groups);
    const row = store.rows().find(({ kind }) => kind === 'session');
    if (row === undefined) throw new Error('no session');
    return row;
  };

  it('has the input of its first trace, the output of its last and their values', async () => {
    const both = await session(
      trace(2, 2, { input: 'b', output: 'last', metrics: { cost: 2, reward: 1 } }),
      trace(1, 1, { input: 'first', output: 'a', metrics: { cost: 1, reward: 0 } }),
    );
    expect(both.values).to.include({ input: 'first', output: 'last', external_id: 'e' });
    expect(both.metrics).to.deep.equal({
      cost: { value: 3, rolledUp: true },
      reward: { value: 0.5, rolledUp: true },
    });
    expect(toRecordView(both)).to.include({
      is_complete: true,
      has_children: true,
      trace_id: null,
    });
  });

  it('follows the remaining traces when its first and its last one are deleted', async () => {
    const left = await session(
      trace(1, 1, { input: 'first', output: 'a' }),
      trace(2, 2, { input: 'second', output: 'b' }),
      trace(3, 3, { input: 'third', output: 'c' }),
      gone(1),
      gone(3),
    );
    expect(left.values).to.include({ input: 'second', output: 'b' });
    expect(left.body).to.include({ traces: 1 });
  });

  it('rolls up by the method of the scorer that made the values', async () => {
    const two = [trace(1, 1), trace(2, 2)];
    expect((await session(...two, own(1, 7, 'sum'), own(2, 7, 'sum'))).metrics).to.deep.equal({
      own: { value: 14, rolledUp: true, method: 'sum' },
    });
    expect((await session(...two, own(1, 5, 'max'), own(2, 7, 'max'))).metrics).to.deep.equal({
      own: { value: 7, rolledUp: true, method: 'max' },
    });
    const lowered = await session(...two, own(1, 5, 'max'), own(2, 7, 'max'), own(2, 3, 'max'));
    expect(lowered.metrics).to.deep.equal({ own: { value: 5, rolledUp: true, method: 'max' } });
  });

  it('is complete and empty without traces', async () => {
    expect(toRecordView(await session(trace(1, 1), gone(1)))).to.deep.include({
      is_complete: true,
      has_children: false,
      input: null,
      output: null,
      previous_session_id: null,
    });
  });

  it('sums without rounding, so that added and removed values cancel out', async () => {
    const left = await session(
      trace(1, 1, { metrics: { cost: 0.1 } }),
      trace(2, 2, { metrics: { cost: 1e300 } }),
      gone(2),
    );
    expect(left.metrics['cost']?.value).to.equal(0.1);
  });

  it('has no sum beyond doubles until the trace that exceeds them is gone', async () => {
    const most = { metrics: { cost: Number.MAX_VALUE } };
    const both = [trace(1, 1, most), trace(2, 2, most)];
    expect((await session(...both)).metrics).not.to.have.property('cost');
    const left = await session(...both, gone(2));
    expect(left.metrics['cost']?.value).to.equal(Number.MAX_VALUE);
  });
});
