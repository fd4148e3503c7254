import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { canonicalJson } from '../../kernel/canonical-json.js';
import { streamNameOf, type EventReader } from '../../kernel/ports.js';
import type { FeedbackTemplate } from '../../kernel/records/feedback.js';
import type { Records } from '../../kernel/records/records.js';
import type { JsonObject } from '../../kernel/schema-types.js';
import { recordsCollection } from '../../projections/records/collection.js';
import { groupRowsFromLog } from '../../projections/records/trace-reads.js';
import { recordAnswers, type RecordPlan } from '../../query-api/records/answers.js';
import { countingReads } from '../support/counting-reads.js';
import { temporaryFolder } from '../support/folder.js';
import { append, newEvent, projectorIn, type OpenProjector } from '../support/projector.js';
import {
  instantAt,
  projectId,
  runId,
  spanId,
  traceId,
  traceLogs,
  traceStream,
  type TraceLogEvent,
} from '../support/random-trace-logs.js';
import { runs } from '../support/runs.js';

const templates: readonly FeedbackTemplate[] = [
  { id: '00000000-0000-4000-8770-000000000000', type: 'score' },
];
const bytesMax = 65_536;
const runStream = streamNameOf('run', runId);
const traces = [0, 1, 2, 3, 4];

describe('a trace that is read from the log', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let open: OpenProjector;
  let fallbacks = 0;

  const rowsBy = (reader: Pick<EventReader, 'portions' | 'last'>): Records['groupRows'] =>
    groupRowsFromLog({
      records: {
        ...open.records,
        groupRows: (...asked) => {
          fallbacks += 1;
          return open.records.groupRows(...asked);
        },
      },
      reader,
      decode: (_type, _schema, data) => data,
      followsLog: (stream) => open.projector.followsLog(recordsCollection.name, stream),
    });
  /** The answer as canonical JSON, from the read model and by the log; null: not found. */
  const bothAnswers = async (plan: RecordPlan) => {
    const { records } = open;
    const groupRows = rowsBy(open.log);
    const shownBy = async (source: Records): Promise<string | null> => {
      const inSlices = async <T>(work: () => T): Promise<T> => work();
      const found = await recordAnswers({ records: source, inSlices }).record(plan, templates);
      if (found === null) return null;
      const { group, json } = found;
      const shown = json === null ? null : JSON.parse(Buffer.concat(json).toString());
      return canonicalJson({ group, json: shown as JsonObject | null });
    };
    return { model: await shownBy(records), log: await shownBy({ ...records, groupRows }) };
  };
  const expectSame = async (
    plan: Pick<RecordPlan, 'population' | 'id'> & Partial<RecordPlan>,
  ): Promise<JsonObject | null> => {
    const { model, log } = await bothAnswers({ project: projectId, bytesMax, ...plan });
    expect(log).to.equal(model);
    return model === null ? null : ((JSON.parse(model) as JsonObject)['json'] as JsonObject);
  };

  before(async () => {
    folder = await temporaryFolder();
    open = await projectorIn({ dir: folder.dir });
    await append(open.log, runStream, 0, newEvent('LogStreamCreated', created(runId)));
  });
  after(async () => {
    await open.close();
    await folder.remove();
  });
  beforeEach(() => {
    fallbacks = 0;
  });

  it('equals what the read model serves, for generated histories', () =>
    fc.assert(
      fc.asyncProperty(traceLogs, async (events) => {
        const project = randomUUID();
        await appendAll(open, ofProject(events, project));
        await open.untilCaughtUp();
        for (const trace of traces) {
          for (const alone of [false, true]) {
            await expectSame({ project, population: 'trace', id: traceId(trace), alone });
          }
          for (const span of [1, 2, 3, 4, 9]) {
            const alone = (trace + span) % 2 === 0;
            await expectSame({ project, population: 'span', id: spanId(trace, span), alone });
          }
        }
        expect(fallbacks).to.equal(0);
      }),
      { numRuns: runs(10) },
    )).timeout(60_000);

  it('is not found in another project, and in a run that was deleted', async () => {
    const run = randomUUID();
    const runEvents = streamNameOf('run', run);
    await append(open.log, runEvents, 0, newEvent('LogStreamCreated', created(run)));
    await append(open.log, traceStream(20), 0, newEvent('TraceLogged', logged(20, run)));
    await open.untilCaughtUp();
    const plan = { population: 'trace', id: traceId(20) } as const;
    expect(await expectSame(plan)).to.include({ id: traceId(20) });
    expect(await expectSame({ ...plan, project: randomUUID() })).to.equal(null);
    await append(open.log, runEvents, 1, newEvent('LogStreamDeleted', ofRun(run)));
    await open.untilCaughtUp();
    expect(await expectSame(plan)).to.equal(null);
    expect(fallbacks).to.equal(0);
  });

  it('is that of the read model while this one is behind', async () => {
    const [stream, run] = [traceStream(24), randomUUID()];
    const runEvents = streamNameOf('run', run);
    const plan = { population: 'trace', id: traceId(24) } as const;
    const updated = { ...ofTrace(24), changes: { output: 'late' } };
    await append(open.log, runEvents, 0, newEvent('LogStreamCreated', created(run)));
    await append(open.log, stream, 0, newEvent('TraceLogged', logged(24, run)));
    await open.untilCaughtUp();
    await open.projector.pause('records');
    await append(open.log, stream, 1, newEvent('TraceUpdated', updated));
    await append(open.log, runEvents, 1, newEvent('LogStreamDeleted', ofRun(run)));
    expect(await expectSame(plan)).to.include({ output: null });
    await open.projector.resume('records');
    await open.untilCaughtUp();
    expect(await expectSame(plan)).to.equal(null);
    expect(fallbacks).to.equal(0);
  });

  it('comes from the read model where an event of its stream cannot be folded', async () => {
    const stream = traceStream(21);
    const plan = { population: 'trace', id: traceId(21) } as const;
    const missing = { record_id: spanId(21, 7), scores: { reward: 1 } };
    const named = (output: string) => ({ ...ofTrace(21), changes: { output } });
    await append(open.log, stream, 0, newEvent('TraceLogged', logged(21, runId)));
    await append(open.log, stream, 1, newEvent('ScoresRecorded', { ...ofTrace(21), ...missing }));
    await append(open.log, stream, 2, newEvent('TraceUpdated', named('late')));
    await open.untilCaughtUp();
    expect(await expectSame(plan)).to.include({ output: null });
    expect(await open.projector.skip('records', stream, 1)).to.equal(true);
    expect(await expectSame(plan)).to.include({ output: 'late' });
    expect(fallbacks).to.equal(2);
  });

  it('comes from the read model where an event was skipped that could be folded now', async () => {
    const stream = traceStream(23);
    const updated = { ...ofTrace(23), changes: { output: 'skipped' } };
    await open.projector.skip('records', stream, 1);
    await append(open.log, stream, 0, newEvent('TraceLogged', logged(23, runId)));
    await append(open.log, stream, 1, newEvent('TraceUpdated', updated));
    await open.untilCaughtUp();
    const plan = { population: 'trace', id: traceId(23) } as const;
    expect(await expectSame(plan)).to.include({ output: null });
    expect(fallbacks).to.equal(1);
  });

  it('comes from the read model where its stream is longer than a portion of the log', async () => {
    const stream = traceStream(22);
    await append(open.log, stream, 0, newEvent('TraceLogged', logged(22, runId)));
    for (let at = 1; at <= 8; at += 1) {
      const spans = [span(22, at, 'x'.repeat(200_000))];
      await append(open.log, stream, at, newEvent('SpansLogged', { ...ofTrace(22), spans }));
    }
    await open.untilCaughtUp();
    const plan = { project: projectId, population: 'trace', id: traceId(22) } as const;
    const span3 = { ...plan, population: 'span', id: spanId(22, 3), alone: true } as const;
    expect(await expectSame({ ...span3, bytesMax: 1_000_000 })).to.include({ id: spanId(22, 3) });
    const counted = countingReads(open.log);
    const groupRows = rowsBy(counted.log);
    expect(await groupRows({ ...plan, bytesMax })).to.deep.include({ group: stream, rows: null });
    const read = counted.events();
    expect(read).to.be.within(1, 8);
    expect((await groupRows({ ...span3, bytesMax: 1_000_000 }))?.rows).to.have.length(1);
    expect(counted.events()).to.equal(read);
    expect(fallbacks).to.equal(3);
  });
});

const created = (run: string) => ({
  ...ofRun(run),
  organization_id: randomUUID(),
  name: 'run',
  created_by: randomUUID(),
  created_at: instantAt(0),
});
const ofRun = (run: string) => ({ run_id: run, project_id: projectId });
const ofTrace = (trace: number) => ({ project_id: projectId, trace_id: traceId(trace) });
const logged = (trace: number, run: string) => ({
  ...ofTrace(trace),
  run_id: run,
  run_kind: 'log_stream',
  session_id: null,
  is_complete: true,
  logging_method: 'api_direct',
  trace: { type: 'trace', id: traceId(trace), created_at: instantAt(1), input: 'in' },
  spans: [],
});
const span = (trace: number, at: number, input: string) => ({
  type: 'llm',
  id: spanId(trace, at),
  parent_id: traceId(trace),
  created_at: instantAt(at),
  input,
});

/** The history, in a project of its own. */
const ofProject = (events: readonly TraceLogEvent[], project: string): readonly TraceLogEvent[] =>
  JSON.parse(JSON.stringify(events).replaceAll(projectId, project)) as TraceLogEvent[];

const appendAll = async (
  { log }: OpenProjector,
  events: readonly TraceLogEvent[],
): Promise<void> => {
  for (const { stream, revision, type, data, metadata } of events) {
    await append(log, stream, revision, { id: randomUUID(), type, data, metadata });
  }
};
