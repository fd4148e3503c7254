import { expect } from 'chai';
import type { TraceEvent } from '../../events/traces.js';
import type { StoredEvent } from '../../kernel/ports.js';
import { toRecordView } from '../../kernel/records/record-view.js';
import type { RecordRow } from '../../kernel/records/record.js';
import type { JsonObject } from '../../kernel/schema-types.js';
import { foldTrace } from '../../projections/records/fold-trace.js';
import { foldTraces } from '../../projections/records/trace-batch.js';
import {
  instantAt,
  logOf,
  projectId,
  runId,
  traceId,
  traceStream,
} from '../support/random-trace-logs.js';

const common = { project_id: projectId, trace_id: traceId(1) };
const logged = (members: object): TraceEvent => ({
  type: 'TraceLogged',
  data: {
    ...common,
    run_id: runId,
    run_kind: 'log_stream',
    session_id: null,
    is_complete: true,
    logging_method: 'api_direct',
    trace: { type: 'trace', id: traceId(1), created_at: instantAt(0), ...members },
    spans: [],
  },
});
const scored = (record: string, scores: Record<string, number | string | null>): TraceEvent => ({
  type: 'ScoresRecorded',
  data: { ...common, record_id: record, scores },
});
const updated = (changes: JsonObject): TraceEvent => ({
  type: 'TraceUpdated',
  data: { ...common, changes },
});

describe('overlap metrics of records with long texts', () => {
  const long = 'a '.repeat(20_000);
  const texts = { dataset_output: 'a b', output: long };
  const infoAfter = (...events: readonly TraceEvent[]): JsonObject => {
    const log = logOf();
    for (const event of events) log.append(traceStream(1), event);
    const all = log.events as readonly StoredEvent<TraceEvent>[];
    const rows = foldTrace([], all);
    // The same when each event is a batch of its own.
    const oneByOne = all.reduce<readonly RecordRow[]>((sum, next) => foldTrace(sum, [next]), []);
    expect(oneByOne).to.deep.equal(rows);
    const [row] = rows;
    if (row === undefined) throw new Error('no row');
    return toRecordView(row)['metric_info'] as JsonObject;
  };
  const codes = (info: JsonObject) =>
    Object.fromEntries(
      Object.entries(info).map(([name, one]) => {
        const { value, ems_error_code: code } = one as JsonObject;
        return [name, value ?? code];
      }),
    );

  it('are replaced by an error until both texts are short', () => {
    const info = infoAfter(logged(texts));
    expect(codes(info)).to.deep.equal({ bleu: 1008, rouge: 1008 });
    expect(info['rouge']).to.deep.include({
      status_type: 'error',
      message: 'Not computed: output or reference is longer than 32 KiB. Send the metric itself.',
    });
    expect(codes(infoAfter(logged({ ...texts, dataset_output: long, output: 'a' })))).to.deep.equal(
      { bleu: 1008, rouge: 1008 },
    );
    const mended = infoAfter(logged(texts), updated({ output: 'a b' }));
    expect(codes(mended)['rouge']).to.equal(1);
    const grown = infoAfter(logged({ ...texts, output: 'a b' }), updated({ output: long }));
    expect(codes(grown)).to.deep.equal({ bleu: 1008, rouge: 1008 });
  });

  it('keep values and errors that the client sent instead', () => {
    const id = traceId(1);
    const sent = infoAfter(logged(texts), scored(id, { bleu: 0.5 }));
    expect(codes(sent)).to.deep.equal({ bleu: 0.5, rouge: 1008 });
    const withdrawn = infoAfter(
      logged({ ...texts, metrics: { bleu: 0.5, rouge: 0.5 } }),
      scored(id, { bleu: null }),
    );
    expect(codes(withdrawn)).to.deep.equal({ bleu: 1008, rouge: 0.5 });
    const error = { rouge_error_message: 'mine', rouge_ems_error_code: 7 };
    const failed = infoAfter(logged(texts), scored(id, error));
    expect(failed['rouge']).to.deep.include({ ems_error_code: 7, message: 'mine' });
    const cleared = infoAfter(
      logged(texts),
      scored(id, error),
      scored(id, { rouge_ems_error_code: null }),
      updated({ output: 'a b' }),
    );
    expect(codes(cleared)['rouge']).to.equal(1);
  });

  it('yield to other work between traces whose texts are compared', async () => {
    const text = 'a b '.repeat(8_192);
    const streams = [1, 2, 3].map((number) => {
      const log = logOf();
      const name = traceStream(number);
      log.append(name, logged({ output: text, dataset_output: text }));
      return { name, before: null, events: log.events };
    });
    let [turns, isDone] = [0, false];
    const count = (): void => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const nothing = { spanOutlines: async () => new Map(), rowsByOrdinal: async () => [] };
    await foldTraces(nothing, streams);
    isDone = true;
    expect(turns).to.be.at.least(streams.length);
  });

  it('are not recomputed because the other one was sent', () => {
    const short = { dataset_output: 'a b', output: 'a b' };
    expect(codes(infoAfter(logged(short), scored(traceId(1), { bleu: 0.5 })))).to.deep.equal({
      bleu: 0.5,
      rouge: 1,
    });
  });
});
