import { expect } from 'chai';
import type { SpanContent } from '../../events/traces.js';
import { streamNameOf } from '../../kernel/ports.js';
import type { GroupWrite } from '../../kernel/records/records.js';
import type { RecordRow } from '../../kernel/records/record.js';
import { foldBatch, type StoredRows } from '../../projections/records/batch.js';
import {
  instantAt,
  logOf,
  projectId,
  rowStore,
  runId,
  sessionId,
  sessionStream,
  spanId,
  traceId,
  traceStream,
  type TraceLogEvent,
} from '../support/random-trace-logs.js';

/** Bytes of JSON that folding reads of the stored rows and writes. */
type Cost = {
  readonly rowsRead: number;
  readonly bytesRead: number;
  readonly bytesWritten: number;
};

const bytesOf = (value: unknown): number => JSON.stringify(value).length;

/** The store, and a function that folds a batch onto it and tells what that cost. */
const counted = () => {
  const store = rowStore();
  let rowsRead = 0;
  let bytesRead = 0;
  const read = (rows: readonly unknown[]): void => {
    rowsRead += rows.length;
    bytesRead += rows.reduce<number>((sum, row) => sum + bytesOf(row), 0);
  };
  const records: StoredRows = {
    firstRows: async (names) => {
      const found = await store.firstRows(names);
      read([...found.values()]);
      return found;
    },
    spanOutlines: async (names) => {
      const found = await store.spanOutlines(names);
      read([...found.values()].flat());
      return found;
    },
    rowsByOrdinal: async (places) => {
      const rows = await store.rowsByOrdinal(places);
      read(rows);
      return rows;
    },
    sessionsWithTraces: (sessions) => store.sessionsWithTraces(sessions),
    traceOutlines: async (session, part) => {
      const found = await store.traceOutlines(session, part);
      read(found);
      return found;
    },
  };
  const fold = async (events: readonly TraceLogEvent[]): Promise<Cost> => {
    [rowsRead, bytesRead] = [0, 0];
    const { writes } = await foldBatch(records, events);
    const bytesWritten = bytesOf(writes.groups.map(({ rows }: GroupWrite) => rows));
    store.write(writes.groups);
    return { rowsRead, bytesRead, bytesWritten };
  };
  return { fold, rows: (): readonly RecordRow[] => store.rows() };
};

const common = { project_id: projectId, run_id: runId, run_kind: 'log_stream' } as const;
const text = 'x'.repeat(1_000);

describe('the cost of growing records', () => {
  it('is proportional to what is added to a trace, however large it is', async () => {
    const log = logOf();
    const store = counted();
    const span = (number: number): SpanContent => ({
      type: 'tool',
      id: spanId(1, number),
      parent_id: number % 20 === 1 ? traceId(1) : spanId(1, number - 1),
      created_at: instantAt(number),
      input: text,
      metrics: { cost: 0.1 },
    });
    const spans = (from: number) => Array.from({ length: 20 }, (_, at) => span(from + at));
    const costs: Cost[] = [];
    for (let request = 0; request < 100; request += 1) {
      const event =
        request === 0
          ? log.append(traceStream(1), {
              type: 'TraceLogged',
              data: {
                ...common,
                trace_id: traceId(1),
                session_id: null,
                is_complete: true,
                logging_method: 'api_direct',
                trace: { type: 'trace', id: traceId(1), created_at: instantAt(0) },
                spans: spans(1),
              },
            })
          : log.append(traceStream(1), {
              type: 'SpansLogged',
              data: { project_id: projectId, trace_id: traceId(1), spans: spans(request * 20 + 1) },
            });
      costs.push(await store.fold([event]));
    }
    const added = bytesOf(Array.from({ length: 20 }, (_, at) => span(at + 1)));
    const last = costs.at(-1);
    expect(last?.bytesWritten).to.be.lessThan(2 * added);
    // Of each span that is there an outline of less than 250 bytes, and no text.
    expect(last?.bytesRead).to.be.lessThan(2_000 * 250);
    const [trace] = store.rows();
    expect(trace?.spanCount).to.equal(2_000);
    expect(trace?.metrics['cost']?.value).to.be.closeTo(10, 1e-9);
  });

  it('is constant per trace of a session, however many it has', async () => {
    const log = logOf();
    const store = counted();
    const started = log.append(sessionStream(1), {
      type: 'SessionStarted',
      data: {
        ...common,
        session_id: sessionId(1),
        name: 's',
        external_id: null,
        previous_session_id: null,
        user_metadata: {},
        created_at: instantAt(0),
        minted: false,
      },
    });
    await store.fold([started]);
    const costs: Cost[] = [];
    for (let batch = 0; batch < 100; batch += 1) {
      const events = Array.from({ length: 50 }, (_, at) => {
        const number = batch * 50 + at;
        return log.append(streamNameOf('trace', projectId, traceId(number)), {
          type: 'TraceLogged',
          data: {
            ...common,
            trace_id: traceId(number),
            session_id: sessionId(1),
            is_complete: true,
            logging_method: 'api_direct',
            trace: {
              type: 'trace',
              id: traceId(number),
              created_at: instantAt(number),
              input: text,
              metrics: { cost: 0.1, reward: number },
            },
            spans: [],
          },
        });
      });
      costs.push(await store.fold(events));
    }
    const [first, last] = [costs[1], costs.at(-1)];
    expect(last?.rowsRead).to.equal(1);
    expect(last?.bytesRead).to.be.lessThan(1.1 * (first?.bytesRead ?? 0));
    expect(last?.bytesWritten).to.be.lessThan(1.1 * (first?.bytesWritten ?? 0));
    const session = store.rows().find(({ kind }) => kind === 'session');
    expect(session?.body['traces']).to.equal(5_000);
    expect(session?.metrics['cost']?.value).to.be.closeTo(500, 1e-9);
    expect(session?.metrics['reward']?.value).to.equal(2_499.5);
  });
});
