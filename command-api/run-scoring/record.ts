import type { TraceEvent } from '../../events/traces.js';
import { start, type Clock, type EventLog, type Ids, type StreamName } from '../../kernel/ports.js';
import type { JobId } from '../../kernel/shapes.js';
import { transactAll, type Loaded } from '../../kernel/transact.js';
import { traceStream } from '../facts/traces.js';
import { authorshipOf } from './job-events.js';
import { scoresOf, type ActiveScorer, type Made, type Target } from './scoring.js';
import { scoredTrace, touchedAt, type ScoredTrace } from './trace.js';

type Needs = {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'derive'>;
};
type Scored = Extract<TraceEvent, { readonly type: 'ScoresRecorded' }>;

/** Answers the traces that changed too often meanwhile, of which nothing was recorded. */
export const record = async (
  needs: Needs,
  { scorer }: ActiveScorer,
  targets: readonly Target[],
  made: readonly Made[],
  job: JobId | null,
): Promise<readonly ScoredTrace[]> => {
  const byTrace = new Map<ScoredTrace, Scored[]>();
  const { roll_up_method: method } = scorer.details;
  const methods = { [scorer.name]: method ?? 'average' };
  const by = { scorer_id: scorer.id, version: scorer.versions.length, job_id: job };
  targets.forEach((target, at) => {
    const { trace, record: id } = target;
    const one = made[at];
    if (one === undefined) return;
    const place = { project_id: trace.projectId, trace_id: trace.id, record_id: id };
    const scores = scoresOf(target, scorer.name, one);
    const known = byTrace.get(trace) ?? [];
    byTrace.set(trace, known);
    const rollUp = method !== null && { roll_up_methods: methods };
    const data = { ...place, scores, ...rollUp, scorer: by };
    known.push({ type: 'ScoresRecorded', data });
  });
  const changing: ScoredTrace[] = [];
  for (const [trace, events] of byTrace) {
    for (const some of inAppends(events)) {
      if (await recorded(needs, trace, some)) continue;
      changing.push(trace);
      break;
    }
  }
  return changing;
};

/** One append stays below what EventStoreDB takes at once, at up to three bytes a character. */
const appendTextMax = 300_000;

const inAppends = (events: readonly Scored[]): readonly (readonly Scored[])[] => {
  const appends: Scored[][] = [];
  let text = Infinity;
  for (const event of events) {
    const length = JSON.stringify(event.data).length;
    if (text + length > appendTextMax) {
      appends.push([]);
      text = 0;
    }
    appends.at(-1)?.push(event);
    text += length;
  }
  return appends;
};

/**
 * Behind whatever happened to the trace since it was read. What was scored of a record that changed
 * meanwhile is dropped: the change stands in the log after what was looked through, so the record
 * is scored anew. False: it changes too often.
 */
const recorded = async (
  { log, clock, ids }: Needs,
  scored: ScoredTrace,
  events: readonly Scored[],
): Promise<boolean> => {
  let known = scored;
  const load = async (stream: StreamName): Promise<Loaded<ScoredTrace | null>> => {
    const now = scoredTrace(await log.read(stream, { from: known.revision + 1 }), known);
    known = now ?? known;
    return { state: now, revision: known.revision, position: start };
  };
  const fresh = (now: ScoredTrace | null): readonly Scored[] =>
    // Null: deleted, or erased since.
    events.filter(
      ({ data: { record_id: id } }) => now !== null && touchedAt(now, id) === touchedAt(scored, id),
    );
  const stream = traceStream(scored.projectId, scored.id);
  const by = authorshipOf({ clock, ids }, scored);
  const outcomes = await transactAll(log, new Map([[stream, events]]), { load, decide: fresh }, by);
  return outcomes.get(stream)?.position !== 'conflict';
};
