import { expect } from 'chai';
import { recordStreamsErased } from '../../command-api/facts/erasures.js';
import {
  lateWritesSeconds,
  openRunErasures,
} from '../../command-api/erasures/run-and-project-erasures.js';
import { startErasureWorker } from '../../command-api/erasures/worker.js';
import { unlinkDatasetFrom } from '../../named-queries/experiment-datasets.js';
import { datasetStream } from '../../command-api/facts/datasets.js';
import { runStream } from '../../command-api/facts/runs.js';
import { projectStream } from '../../command-api/facts/projects.js';
import type { ErasureBegun } from '../../events/erasures.js';
import { diskFiles } from '../../engines/node/files.js';
import { randomIds } from '../../engines/node/ids.js';
import { logStart, streamNameOf, type EventLog, type Position } from '../../kernel/ports.js';
import type { DatasetId, ProjectId } from '../../kernel/schema-types.js';
import { countingReads } from '../support/counting-reads.js';
import { authorAt, instantAfter, testClock, testLog, type TestLog } from '../support/test-log.js';
import { pollUntil } from '../support/poll-until.js';

const [one, other] = [
  '11111111-1111-4111-8111-111111111111',
  '22222222-2222-4222-8222-222222222222',
];
const [kept, gone] = [
  '33333333-3333-4333-8333-333333333333',
  '44444444-4444-4444-8444-444444444444',
];
const recordId = (number: number): string =>
  `99999999-9999-4999-8999-${String(number).padStart(12, '0')}`;
const trace = (project: string, number: number) => streamNameOf('trace', project, recordId(number));
const session = (project: string, number: number) =>
  streamNameOf('session', project, recordId(number));
const logged = (run: string) => ({ type: 'TraceLogged', data: { run_id: run } });
const started = (run: string) => ({ type: 'SessionStarted', data: { run_id: run } });
const runDeleted = { type: 'LogStreamDeleted', data: { run_id: gone, project_id: one } };
const created = (project: string) => ({
  type: 'ProjectCreated',
  data: { project_id: project, organization_id: 'o', created_by: 'u', created_at: instantAfter(0) },
});
const projectDeleted = { type: 'ProjectDeleted', data: { project_id: one } };

describe('erasing what was deleted', () => {
  let world: TestLog;
  let clock: ReturnType<typeof testClock>;

  beforeEach(async () => {
    world = await testLog();
    clock = testClock();
    await world.appendFirst([
      ...Array.from(
        { length: 250 },
        (_, number) => [trace(one, number), logged(number % 5 === 0 ? kept : gone)] as const,
      ),
      [session(one, 0), started(kept)],
      [session(one, 1), started(gone)],
      [trace(other, 0), logged(gone)],
    ]);
  });
  afterEach(() => world.close());

  const open = (after: Position = logStart, log: EventLog = world.log) =>
    openRunErasures({
      log,
      clock,
      ids: randomIds,
      unlinkDataset: unlinkDatasetFrom(world.log),
      after,
    });
  const finish = async (erasures: ReturnType<typeof open>): Promise<void> => {
    while (await erasures.step());
  };
  const left = async (project: string): Promise<number> => {
    const names = await Promise.all(
      ['trace', 'session'].map((noun) => world.log.streams(`${noun}-${project}-`, null, 1_000)),
    );
    return names.flat().length;
  };
  const completed = async (id: string) =>
    (await world.eventsOf(streamNameOf('erasure', id)))
      .filter(({ type }) => type === 'ErasureCompleted')
      .map(({ data }) => data);

  it('erases the traces and sessions of a deleted run and no others', async () => {
    await world.append(runStream(gone), runDeleted);
    await finish(open());
    expect(await left(one)).to.equal(51);
    expect(await left(other)).to.equal(1);
  });

  it('erases all of a deleted project and nothing of another', async () => {
    await world.append(projectStream(one), projectDeleted);
    await finish(open());
    expect(await left(one)).to.equal(0);
    expect(await left(other)).to.equal(1);
  });

  it('erases everything in a deleted project, and first records what it was', async () => {
    const of = (project: string, run: string) =>
      [
        [projectStream(project), created(project)],
        [runStream(run), { type: 'LogStreamCreated', data: { run_id: run, project_id: project } }],
        ...[
          streamNameOf('idempotency-answer', project, recordId(5)),
          streamNameOf('sized-session', project, recordId(5)),
          ...['insights-settings', 'scorer-settings', 'run-scoring'].map((noun) =>
            streamNameOf(noun, run),
          ),
          ...['scorer-task', 'experiment-scope'].map((noun) =>
            streamNameOf(noun, `${project.slice(0, 8)}-group`),
          ),
          ...[
            'annotation-templates',
            'ranking-criteria',
            'price-list',
            'model-access',
            'experiment-scope',
            'views',
          ].map((noun) => streamNameOf(noun, project)),
          streamNameOf('scorer-queue', project),
          streamNameOf('past-scoring', run, recordId(6)),
        ].map(
          (name) =>
            [name, { type: 'InsightsSettingsChanged', data: { project_id: project } }] as const,
        ),
      ] as const;
    await world.appendFirst([...of(one, kept), ...of(other, gone)]);
    await world.append(projectStream(one), projectDeleted);
    await finish(open());
    clock.move(lateWritesSeconds);
    const names = async () =>
      (await world.log.streams('', null, 1_000)).filter((name) => !name.startsWith('trace-'));
    expect(await names()).to.deep.equal(
      [`erasure-${one}`, ...of(other, gone).map(([name]) => name)].sort(),
    );
    // A new look finds what says that it was deleted, since the deletion itself is gone.
    await finish(open());
    expect(await completed(one)).to.have.length(1);
    const [begun] = await world.eventsOf(streamNameOf('erasure', one));
    const { deletion, ...what } = (begun ?? expect.fail('nothing says so')).data as ErasureBegun;
    expect(what).to.deep.equal({
      deleted: 'project',
      deleted_id: one,
      project_id: one,
      organization_id: 'o',
      created_by: 'u',
      created_at: instantAfter(0),
    });
    expect(deletion).to.deep.include({
      event_type: 'ProjectDeleted',
      actor: authorAt().actor,
      request_id: 'request-1',
      at: instantAfter(0),
    });
  });

  it('names each stream by a fact before it erases it, 1,000 at a time', async () => {
    await world.appendFirst(
      Array.from({ length: 1_100 }, (_, n) => [trace(one, 300 + n), logged(gone)] as const),
    );
    await world.append(runStream(gone), runDeleted);
    const facts = async (id: string) =>
      (await world.eventsOf(streamNameOf('erasure', id)))
        .filter(({ type }) => type === 'StreamsErased')
        .map(({ data }) => (data as { readonly streams: readonly string[] }).streams);
    const erased: string[] = [];
    const log: EventLog = {
      ...world.log,
      erase: async (name) => {
        expect((await facts(gone)).flat()).to.include(name);
        erased.push(name);
        await world.log.erase(name);
      },
    };
    const erasures = open(logStart, log);
    await finish(erasures);
    clock.move(lateWritesSeconds);
    await finish(erasures);
    const named = await facts(gone);
    expect(new Set(erased)).to.deep.equal(new Set(named.flat()));
    expect(named.map(({ length }) => length)).to.deep.equal([1_000, 301, 4]);
    expect(await left(one)).to.equal(51);
  });

  it('does not repeat the last fact', () => {
    const data = (...streams: string[]) => ({
      deleted: 'run' as const,
      deleted_id: gone,
      project_id: one as ProjectId,
      streams,
    });
    const fact = { type: 'StreamsErased' as const, data: data('a', 'b') };
    expect(recordStreamsErased(data('a', 'b'))(null)).to.deep.equal([fact]);
    expect(recordStreamsErased(data('a', 'b'))(fact)).to.deep.equal([]);
    expect(recordStreamsErased(data('a'))(fact)).to.have.length(1);
  });

  it('erases a deleted run itself and its settings', async () => {
    const settings = ['insights-settings', 'scorer-settings', 'run-scoring'];
    const of = (run: string) => [
      runStream(run),
      ...settings.map((noun) => streamNameOf(noun, run)),
      streamNameOf('past-scoring', run, recordId(6)),
    ];
    const data = { project_id: one };
    await world.appendFirst(
      [...of(gone), ...of(kept)].map((name) => [name, { type: 'InsightsSettingsChanged', data }]),
    );
    await world.append(runStream(gone), runDeleted);
    await finish(open());
    for (const name of of(gone)) expect(await world.eventsOf(name), name).to.deep.equal([]);
    for (const name of of(kept)) expect(await world.eventsOf(name), name).to.have.length(1);
  });

  it('erases again where only records were erased before', async () => {
    await world.appendFirst([[projectStream(one), created(one)]]);
    await world.append(projectStream(one), projectDeleted);
    const data = { deleted: 'project', deleted_id: one, project_id: one, streams: 0 };
    await world.append(streamNameOf('erasure', one), { type: 'ErasureCompleted', data });
    clock.move(lateWritesSeconds);
    await finish(open());
    expect(await world.eventsOf(projectStream(one))).to.deep.equal([]);
    expect(await completed(one)).to.have.length(2);
    await finish(open());
    expect(await completed(one)).to.have.length(2);
  });

  it('runs a second pass after the grace period for late writes, then completes', async () => {
    await world.append(runStream(gone), runDeleted);
    const erasures = open();
    await finish(erasures);
    await world.append(trace(one, 900), logged(gone));
    expect(await completed(gone)).to.deep.equal([]);
    clock.move(lateWritesSeconds);
    await finish(erasures);
    expect(await left(one)).to.equal(51);
    expect(await completed(gone)).to.deep.equal([
      { deleted: 'run', deleted_id: gone, project_id: one, streams: 202 },
    ]);
  });

  it('completes a minute after it saw the deletion, even if the clock was set back', async () => {
    await world.append(runStream(gone), runDeleted);
    let seconds = 0;
    const setBack = {
      now: () => instantAfter(seconds - 7_200),
      milliseconds: () => seconds * 1_000,
    };
    const erasures = openRunErasures({
      log: world.log,
      clock: setBack,
      ids: randomIds,
      unlinkDataset: unlinkDatasetFrom(world.log),
      after: logStart,
    });
    await finish(erasures);
    expect(await completed(gone)).to.have.length(0);
    seconds = lateWritesSeconds;
    await finish(erasures);
    expect(await completed(gone)).to.have.length(1);
  });

  it('resumes after a kill at any step', async () => {
    await world.append(runStream(gone), runDeleted);
    let bookmark = logStart;
    for (let steps = 0; (await completed(gone)).length === 0; steps += 1) {
      const erasures = open(bookmark);
      for (let step = 0; step < steps; step += 1) await erasures.step();
      bookmark = erasures.cursor();
      clock.move(lateWritesSeconds);
    }
    expect(await left(one)).to.equal(51);
  });

  it('skips complete deletions, even without a cursor', async () => {
    await world.append(runStream(gone), runDeleted);
    clock.move(lateWritesSeconds);
    await finish(open());
    await world.append(trace(one, 900), logged(gone));
    const again = open();
    await finish(again);
    expect(await left(one)).to.equal(52);
    expect(await completed(gone)).to.have.length(1);
    expect(again.cursor()).to.equal(await world.log.head());
  });

  it('keeps its cursor before an incomplete deletion', async () => {
    const before = await world.log.head();
    const erasures = open();
    await finish(erasures);
    expect(erasures.cursor()).to.equal(before);
    await world.append(runStream(gone), runDeleted);
    await finish(erasures);
    expect(erasures.cursor()).to.equal(before);
    clock.move(lateWritesSeconds);
    await finish(erasures);
    expect(erasures.cursor() > before).to.equal(true);
  });

  it('unlinks, once, the dataset of an experiment whose deletion was cut short', async () => {
    const dataset_id = '55555555-5555-4555-8555-555555555555' as DatasetId;
    const link = { dataset_id, project_id: one, run_id: gone };
    const dataset = datasetStream(dataset_id);
    await world.append(
      dataset,
      { type: 'DatasetCreated', data: { dataset_id, project_id: null } },
      { type: 'DatasetLinked', data: { ...link, run_id: kept } },
      { type: 'DatasetLinked', data: link },
    );
    await world.append(
      runStream(gone),
      {
        type: 'ExperimentCreated',
        data: { run_id: gone, project_id: one, dataset: { dataset_id, version_index: 1 } },
      },
      { type: 'ExperimentDeleted', data: { run_id: gone, project_id: one } },
    );
    clock.move(lateWritesSeconds);
    await finish(open());
    const unlinked = { type: 'DatasetUnlinked', data: link };
    expect((await world.eventsOf(dataset)).slice(3)).to.deep.equal([unlinked]);
    await finish(open());
    expect(await world.eventsOf(dataset)).to.have.length(4);
  });

  it('scans once for all deletions, and reads first events only', async () => {
    const traces = 250;
    for (let number = 0; number < traces; number += 50) {
      const more = Array.from({ length: 9 }, () => ({ type: 'SpansLogged', data: { spans: [] } }));
      await world.append(trace(one, number), ...more);
    }
    const runs = 100;
    for (let number = 0; number < runs; number += 1) {
      const run = recordId(1_000 + number);
      const deleted = { type: 'LogStreamDeleted', data: { run_id: run, project_id: one } };
      await world.append(runStream(run), deleted);
    }
    const counted = countingReads(world.log);
    const erasures = openRunErasures({
      log: counted.log,
      clock,
      ids: randomIds,
      unlinkDataset: unlinkDatasetFrom(world.log),
      after: logStart,
    });
    const visits = traces + 2;
    await finish(erasures);
    // Each run is looked at once before, for what is kept of it, and what was kept before the run
    // itself is named.
    expect(counted.events()).to.equal(2 * runs + visits);
    clock.move(lateWritesSeconds);
    await finish(erasures);
    // The last fact of each is looked at before it is complete.
    expect(counted.events()).to.equal(3 * runs + 2 * visits);
    expect(await completed(recordId(1_099))).to.have.length(1);
  });

  it('runs beside the service and stores its cursor at stop', async () => {
    await world.append(projectStream(one), projectDeleted);
    const deletion = await world.log.head();
    clock.move(lateWritesSeconds);
    const path = `${world.dir}/erasing`;
    const troubles: unknown[] = [];
    const worker = startErasureWorker({
      log: world.log,
      clock,
      ids: randomIds,
      files: diskFiles,
      path,
      unlinkDataset: unlinkDatasetFrom(world.log),
      onError: (error) => troubles.push(error),
    });
    await pollUntil('the project is erased', 5_000, async () => (await completed(one)).length > 0);
    await worker.stop();
    expect(troubles).to.deep.equal([]);
    const written = Buffer.from((await diskFiles.read(path)) ?? [])
      .toString('utf8')
      .trim();
    expect(written >= deletion).to.equal(true);
  });
});
