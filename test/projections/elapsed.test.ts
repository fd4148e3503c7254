import { expect } from 'chai';
import * as fc from 'fast-check';
import type { RecordContent, SpanContent, TraceEvent } from '../../events/traces.js';
import type { StoredEvent } from '../../kernel/ports.js';
import { toRecordView } from '../../kernel/records/record-view.js';
import type { RecordRow } from '../../kernel/records/record.js';
import { foldTrace } from '../../projections/records/fold-trace.js';
import { runs } from '../support/runs.js';
import {
  instantAt,
  logOf,
  projectId,
  runId,
  spanId,
  traceId,
  traceStream,
} from '../support/random-trace-logs.js';

const second = 1_000_000_000;
const ids = { project_id: projectId, trace_id: traceId(1) };

/** `parent` 0 is the trace; `took` in seconds. */
type Step = {
  readonly kind: SpanContent['type'];
  readonly parent: number;
  readonly at: number;
  readonly took: number | null;
};
const timed = (took: number | null): Pick<RecordContent, 'metrics'> =>
  took === null ? {} : { metrics: { duration_ns: took * second } };

const rowsOf = (
  trace: Pick<Step, 'at' | 'took'>,
  steps: readonly Step[],
  ...more: readonly TraceEvent[]
): readonly RecordRow[] => {
  const log = logOf();
  log.append(traceStream(1), {
    type: 'TraceLogged',
    data: {
      ...ids,
      run_id: runId,
      run_kind: 'log_stream',
      session_id: null,
      is_complete: true,
      logging_method: 'api_direct',
      trace: {
        type: 'trace',
        id: traceId(1),
        created_at: instantAt(trace.at),
        ...timed(trace.took),
      },
      spans: steps.map(({ kind, parent, at, took }, index) => ({
        type: kind,
        id: spanId(1, index + 1),
        parent_id: parent === 0 ? traceId(1) : spanId(1, parent),
        created_at: instantAt(at),
        ...timed(took),
      })),
    },
  });
  for (const event of more) log.append(traceStream(1), event);
  return foldTrace([], log.events as readonly StoredEvent<TraceEvent>[]);
};
const secondsOf = (rows: readonly RecordRow[]): readonly unknown[] =>
  rows.map(({ metrics }) => {
    const cell = metrics['duration_ns'];
    return cell === undefined ? null : Number(cell.value) / second;
  });

describe('the derived duration of a record', () => {
  it('spans the first begin to the last end of the record and its descendants', () => {
    const rows = rowsOf({ at: 10, took: null }, [
      { kind: 'workflow', parent: 0, at: 11, took: null },
      { kind: 'llm', parent: 1, at: 12, took: 3 },
      { kind: 'tool', parent: 1, at: 9, took: 1 },
      { kind: 'agent', parent: 0, at: 20, took: null },
      { kind: 'llm', parent: 4, at: 19, took: null },
    ]);
    expect(secondsOf(rows)).to.deep.equal([11, 6, 3, 1, null, null]);
    expect(toRecordView(rows[1] as RecordRow)).to.deep.include({
      metrics: {},
      metric_info: {
        duration_ns: {
          status_type: 'roll_up',
          value: 6 * second,
          roll_up_metrics: { elapsed: 6 * second },
        },
      },
    });
  });

  it('yields to a duration that was sent, and returns when that is withdrawn', () => {
    const steps: readonly Step[] = [
      { kind: 'workflow', parent: 0, at: 0, took: 2 },
      { kind: 'llm', parent: 1, at: 0, took: 5 },
    ];
    const scores = (value: number | null): TraceEvent => ({
      type: 'ScoresRecorded',
      data: { ...ids, record_id: spanId(1, 1), scores: { duration_ns: value } },
    });
    expect(secondsOf(rowsOf({ at: 0, took: 1 }, steps))).to.deep.equal([1, 2, 5]);
    expect(secondsOf(rowsOf({ at: 0, took: 1 }, steps, scores(null)))).to.deep.equal([1, 5, 5]);
    const again = rowsOf({ at: 0, took: null }, steps, scores(null), scores(3 * second));
    expect(secondsOf(again)).to.deep.equal([5, 3, 5]);
  });

  it('follows the contract for generated trees', () => {
    const kinds = ['llm', 'tool', 'workflow', 'agent', 'retriever', 'control'] as const;
    const took = fc.option(fc.integer({ min: -3, max: 30 }));
    const step = fc.record({
      kind: fc.constantFrom(...kinds),
      parent: fc.nat({ max: 12 }),
      at: fc.nat({ max: 50 }),
      took,
    });
    fc.assert(
      fc.property(
        fc.nat({ max: 50 }),
        took,
        fc.array(step, { maxLength: 12 }),
        (at, own, steps) => {
          // Parents come first, so that there is no circle.
          const tree = steps.map((one, index) => ({ ...one, parent: one.parent % (index + 1) }));
          const below = (number: number): readonly Step[] =>
            tree.flatMap((one, index) => (one.parent === number ? [one, ...below(index + 1)] : []));
          const expected = [{ kind: 'trace' as const, at, took: own }, ...tree].map(
            (one, number) => {
              const under = below(number);
              const all = [{ ...one, took: null }, ...under];
              const ends = all.map((each) => each.at + Math.max(each.took ?? 0, 0));
              if (one.took !== null) return one.took;
              const spans = ['trace', 'workflow', 'agent'].includes(one.kind);
              if (!spans || under.every((each) => each.took === null)) return null;
              return Math.max(...ends) - Math.min(...all.map((each) => each.at));
            },
          );
          expect(secondsOf(rowsOf({ at, took: own }, tree))).to.deep.equal(expected);
        },
      ),
      { numRuns: runs(300) },
    );
  });
});
