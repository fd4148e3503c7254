import { expect } from 'chai';
import type { RecordContent, SpanContent, TraceEvent } from '../../events/traces.js';
import { otelMapping } from '../../kernel/otel/mapping.js';
import type { StoredEvent } from '../../kernel/ports.js';
import { rowOfCells } from '../../kernel/records/record-cells.js';
import { columnsOf } from '../../projections/records/fresh-columns.js';
import { foldTrace } from '../../projections/records/fold-trace.js';
import {
  instantAt,
  logOf,
  projectId,
  runId,
  sessionId,
  spanId,
  traceId,
  traceStream,
} from '../support/random-trace-logs.js';

const span = (number: number, members: Partial<SpanContent> = {}): SpanContent => ({
  type: 'llm',
  id: spanId(1, number),
  parent_id: traceId(1),
  created_at: instantAt(0),
  ...members,
});
const recorded = (
  trace: Partial<RecordContent> = {},
  spans: readonly SpanContent[] = [],
  session: ReturnType<typeof sessionId> | null = null,
) =>
  logOf().append(traceStream(1), {
    type: 'TraceLogged',
    data: {
      project_id: projectId,
      run_id: runId,
      run_kind: 'log_stream',
      trace_id: traceId(1),
      session_id: session,
      is_complete: true,
      logging_method: 'api_direct',
      trace: { type: 'trace', id: traceId(1), created_at: instantAt(0), ...trace },
      spans,
    },
  }) as StoredEvent<TraceEvent>;

describe('columns of a fresh trace', () => {
  it('equal its rows, tree and derived values included', () => {
    const price = { input: 1, output: 2 };
    const event = recorded({ input: [{ content: 'hi', role: 'user' }], metrics: { note: 'x' } }, [
      span(1, { type: 'agent', metrics: { num_input_tokens: 3 } }),
      span(2, { parent_id: spanId(1, 1), metrics: { duration_ns: 5, reward: 2, note: 1 } }),
      span(3, { parent_id: spanId(1, 9), price, metrics: { num_output_tokens: 1 } }),
    ]);
    const columns = columnsOf(event, otelMapping);
    const records = Array.from(columns?.records() ?? [], (cells) => rowOfCells(cells));
    expect(records).to.deep.equal(foldTrace([], [event]));
    expect(columns).to.include({ projectId, runId, size: 4 });
    const names: string[] = [];
    columns?.forEachName((kind, name, at) => names.push(`${kind}/${name} ${at.slice(-1)}`));
    expect(names.slice(0, 2)).to.deep.equal(['metrics/note 0', 'metrics/reward ']);
    expect(names.slice(2)).to.deep.equal(['metrics/reward 2', 'metrics/note 2']);
  });

  it('have neither a total nor a cost beyond doubles, as its rows', () => {
    const most = Number.MAX_VALUE;
    const price = { input: most, output: 0 };
    const metrics = { num_input_tokens: most, num_output_tokens: most };
    const event = recorded({}, [
      span(1, { metrics }),
      span(2, { price, metrics: { num_input_tokens: 2e6 } }),
    ]);
    const records = Array.from(columnsOf(event, otelMapping)?.records() ?? [], (cells) =>
      rowOfCells(cells),
    );
    expect(records).to.deep.equal(foldTrace([], [event]));
    expect(records.map((row) => Object.keys(row.metrics))).to.deep.equal([
      ['num_input_tokens', 'num_output_tokens', 'num_total_tokens'],
      ['num_input_tokens', 'num_output_tokens'],
      ['num_input_tokens', 'num_total_tokens'],
    ]);
  });

  it('are left to its rows in sessions, with overlap metrics and with errors', () => {
    for (const event of [
      recorded({}, [], sessionId(1)),
      recorded({ output: 'a', dataset_output: 'a' }),
      recorded({ metrics: { x_ems_error_code: 1 } }),
      recorded({}, [span(1, { metrics: { x_error_message: 'm' } })]),
    ]) {
      expect(columnsOf(event, otelMapping)).to.equal(null);
    }
  });
});
