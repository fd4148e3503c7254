import type { RunScorer } from '../../contract/scorer-settings.js';
import { runScorersOf } from '../../contract/scorer-settings.js';
import type { ExperimentEvent } from '../../events/experiments.js';
import type { ScorerSettingsEvent } from '../../events/scorers.js';
import type { TraceEvent } from '../../events/traces.js';
import { Fault } from '../../kernel/fault.js';
import {
  start,
  type Clock,
  type EventLog,
  type Files,
  type Ids,
  type Leases,
  type Position,
  type Recorded,
  type StreamName,
} from '../../kernel/ports.js';
import type { Sandbox } from '../../kernel/sandbox.js';
import type { RunId } from '../../kernel/shapes.js';
import { load, stamped } from '../../kernel/transact.js';
import { openBookmark } from '../access/bookmark.js';
import { scorers } from '../access/scorers.js';
import { runs } from '../access/folds.js';
import { runStream, scorerStream, traceStream } from '../access/streams.js';
import { madeOf } from './batch.js';
import { authorshipOf, openJobs } from './job-events.js';
import {
  activeScorer,
  inTheirOrder,
  openFound,
  scoresOf,
  stepOf,
  targetsOf,
  type ActiveScorer,
  type Work,
  type Target,
} from './scoring.js';
import { scoredTrace, touchedAt, type ScoredTrace } from './trace.js';
import { startWorker, type Worker } from '../access/worker.js';

export type RunScoringNeeds = {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'derive'>;
  readonly leases: Leases;
  readonly sandbox: Sandbox;
  readonly files: Files;
  /** Where the bookmark is kept; without it the log is looked through once more. */
  readonly path: string;
  readonly worker: string;
  /** Told why something failed; it is tried again. */
  readonly trouble: (error: unknown) => void;
};

const restMs = 500;
/** One process of a service scores runs; another takes over when it is silent for so long. */
const leaseMs = 30_000;
const leaseName = 'run-scoring';
const pageEvents = 500;
/** Traces in hand at once, and steps of one process of the sandbox. */
const dirtyMax = 400;
const stepsMax = 500;

type Heard =
  | ScorerSettingsEvent
  | Extract<ExperimentEvent, { readonly type: 'ExperimentCreated' }>
  | Extract<
      TraceEvent,
      { readonly type: 'TraceLogged' | 'SpansLogged' | 'TraceUpdated' | 'SpanUpdated' }
    >;
const settingTypes: readonly Heard['type'][] = ['ScorerSettingsChanged', 'ExperimentCreated'];
const traceTypes: readonly Heard['type'][] = [
  'TraceLogged',
  'SpansLogged',
  'TraceUpdated',
  'SpanUpdated',
];

/**
 * Scores traces of the runs whose settings ask for it, as they come (contract 5.10). All of it is
 * derived from the log: which runs have scorers, which records changed since they were scored. So a
 * kill costs a second look, and a record is scored once for each change of it.
 */
export const startRunScoring = (needs: RunScoringNeeds): Worker => {
  const { leases, worker, trouble } = needs;
  const followed = openFollowing(needs);
  return startWorker(
    { ...needs, restMs },
    async (signal) =>
      (await leases.take(leaseName, worker, leaseMs)) !== null && (await followed.step(signal)),
    async () => {
      await followed.keep(Infinity).catch(trouble);
      await leases.release(leaseName, worker);
    },
  );
};

const openFollowing = (needs: RunScoringNeeds) => {
  const { log, clock } = needs;
  const bookmark = openBookmark(needs.files, needs.path);
  const settings = new Map<RunId, readonly RunScorer[]>();
  /** Traces that changed, with a position before the change. */
  const dirty = new Map<StreamName, Position>();
  let through: Position | null = null;

  const hear = (event: Recorded<Heard>, before: Position): void => {
    const { type, data } = event;
    if (type === 'ScorerSettingsChanged' || type === 'ExperimentCreated') {
      const chosen = runScorersOf(data.scorers).filter((one) => one.scorer_type === 'code');
      if (chosen.length > 0) settings.set(data.run_id, chosen);
      else settings.delete(data.run_id);
    } else if (type !== 'TraceLogged' || settings.has(data.run_id)) {
      if (!dirty.has(event.stream)) dirty.set(event.stream, before);
    }
  };
  /** Settings up to where the bookmark is; traces from there on. */
  const begin = async (): Promise<Position> => {
    const kept = await bookmark.read();
    for (let at = start; at < kept;) {
      const page = await log.page(at, pageEvents * 4, settingTypes);
      for (const event of page.events) {
        if (event.position <= kept) hear(event as unknown as Recorded<Heard>, at);
      }
      if (page.through === at) break;
      at = page.through;
    }
    return kept;
  };
  const look = async (): Promise<boolean> => {
    through ??= await begin();
    const before = through;
    // Nobody's trace is read while no run has a scorer; a page then ends where the first gets one.
    const types = settings.size > 0 ? [...settingTypes, ...traceTypes] : settingTypes;
    const page = await log.page(before, pageEvents, types);
    for (const event of page.events) {
      const isFirst = settings.size === 0;
      hear(event as unknown as Recorded<Heard>, before);
      through = event.position;
      if (isFirst && settings.size > 0) return true;
    }
    through = page.through;
    return page.through > before;
  };
  const keep = async (now: number): Promise<void> => {
    const [oldest] = [...dirty.values()].sort();
    await bookmark.write(oldest ?? through ?? start, now);
  };
  return {
    /** One bounded piece of work; false when there is none left for now. */
    step: async (signal: AbortSignal): Promise<boolean> => {
      let grew = false;
      while (dirty.size < dirtyMax && !signal.aborted && (await look())) grew = true;
      await keep(clock.milliseconds());
      if (dirty.size === 0) return grew;
      const chosen = [...dirty.keys()].slice(0, dirtyMax);
      const done = await score(needs, settings, chosen, signal);
      for (const stream of done) dirty.delete(stream);
      return grew || done.length > 0;
    },
    keep,
  };
};

type Settings = ReadonlyMap<RunId, readonly RunScorer[]>;

/** Streams that need no more scoring for now; those that changed meanwhile come back by the log. */
const score = async (
  needs: RunScoringNeeds,
  settings: Settings,
  streams: readonly StreamName[],
  signal: AbortSignal,
): Promise<readonly StreamName[]> => {
  const { log, sandbox } = needs;
  const traces = await Promise.all(
    streams.map(async (stream) => ({ stream, trace: scoredTrace(await log.read(stream)) })),
  );
  const wanted = await Promise.all(traces.map(({ trace }) => activeFor(needs, settings, trace)));
  /** By project, scorer and version: what one process is shown, its scorer may tell (target F4). */
  const work = new Map<string, Work>();
  const jobs = openJobs(needs);
  traces.forEach(({ trace }, at) => {
    if (trace === null) return;
    for (const active of wanted[at] ?? []) {
      const key = `${trace.projectId} ${active.scorer.id} ${active.scorer.versions.length}`;
      const known = work.get(key) ?? { active, targets: [] };
      work.set(key, known);
      const targets = targetsOf(trace, active);
      known.targets.push(...targets);
      jobs.note(trace, active, targets.length);
    }
  });
  await jobs.begin();
  const unjudged = new Set<ScoredTrace>();
  const found = openFound();
  for (const { active, targets } of inTheirOrder([...work.values()])) {
    for (let at = 0; at < targets.length; at += stepsMax) {
      const some = targets.slice(at, at + stepsMax);
      const steps = some.map((target, index) => stepOf(target, active, index, found.of(target)));
      const made = await madeOf(sandbox, active, steps, signal);
      if (made === null) for (const { trace } of some) unjudged.add(trace);
      else {
        await record(needs, active, some, made);
        found.note(active, some, made);
        jobs.judged(some, made);
      }
    }
  }
  await jobs.finish([...unjudged].map(({ runId }) => runId));
  return traces
    .filter(({ trace }) => trace === null || !unjudged.has(trace))
    .map(({ stream }) => stream);
};

/** The scorers of a live run of the trace. */
const activeFor = async (
  { log }: RunScoringNeeds,
  settings: Settings,
  trace: ScoredTrace | null,
): Promise<readonly ActiveScorer[]> => {
  const chosen = trace === null ? undefined : settings.get(trace.runId);
  if (trace === null || chosen === undefined) return [];
  const { state: run } = await load(log, runStream(trace.runId), runs);
  if (run?.live !== true) return [];
  const found = await Promise.all(
    chosen.map(async (one) => {
      const { state } = await load(log, scorerStream(one.id), scorers);
      return activeScorer(state?.live === true ? state : null, one);
    }),
  );
  return found.filter((one) => one !== null);
};

/** Each trace gets one append for all its records that were scored. */
const record = async (
  needs: RunScoringNeeds,
  { scorer }: ActiveScorer,
  targets: readonly Target[],
  made: Awaited<ReturnType<typeof madeOf>>,
): Promise<void> => {
  const byTrace = new Map<ScoredTrace, Scored[]>();
  const { roll_up_method: method } = scorer.details;
  const methods = { [scorer.name]: method ?? 'average' };
  targets.forEach((target, at) => {
    const { trace, record: id } = target;
    const one = made?.[at];
    if (one === undefined) return;
    const place = { project_id: trace.projectId, trace_id: trace.id, record_id: id };
    const scores = scoresOf(target, scorer.name, one);
    const known = byTrace.get(trace) ?? [];
    byTrace.set(trace, known);
    const data = { ...place, scores, ...(method !== null && { roll_up_methods: methods }) };
    known.push({ type: 'ScoresRecorded', data });
  });
  for (const [trace, events] of byTrace) await append(needs, trace, events);
};

type Scored = Extract<TraceEvent, { readonly type: 'ScoresRecorded' }>;

const attemptsMax = 4;

/**
 * Behind whatever happened to the trace since it was read. What was scored of a record that changed
 * meanwhile is dropped: the change stands in the log after what was looked through, so the record
 * is scored anew.
 */
const append = async (
  { log, clock, ids }: RunScoringNeeds,
  scored: ScoredTrace,
  events: readonly Scored[],
): Promise<void> => {
  const stream = traceStream(scored.projectId, scored.id);
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const trace = scoredTrace(await log.read(stream));
    if (trace === null) return;
    const fresh = events.filter(
      ({ data: { record_id: id } }) => touchedAt(trace, id) === touchedAt(scored, id),
    );
    if (fresh.length === 0) return;
    const authorship = authorshipOf({ clock, ids }, scored);
    const [result] = await log.append([
      {
        stream,
        expected: trace.revision,
        events: stamped(stream, trace.revision + 1, fresh, authorship),
      },
    ]);
    if (result !== 'conflict') return;
  }
  throw new Fault('conflict', `trace ${scored.id} changes too often to be scored`);
};
