import type { TraceEvent } from '../../events/traces.js';
import type { Clock, EventLog, Ids } from '../../kernel/ports.js';
import { stamped } from '../../kernel/transact.js';
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
): Promise<readonly ScoredTrace[]> => {
  const byTrace = new Map<ScoredTrace, Scored[]>();
  const { roll_up_method: method } = scorer.details;
  const methods = { [scorer.name]: method ?? 'average' };
  targets.forEach((target, at) => {
    const { trace, record: id } = target;
    const one = made[at];
    if (one === undefined) return;
    const place = { project_id: trace.projectId, trace_id: trace.id, record_id: id };
    const scores = scoresOf(target, scorer.name, one);
    const known = byTrace.get(trace) ?? [];
    byTrace.set(trace, known);
    const data = { ...place, scores, ...(method !== null && { roll_up_methods: methods }) };
    known.push({ type: 'ScoresRecorded', data });
  });
  const changing: ScoredTrace[] = [];
  for (const [trace, events] of byTrace) {
    for (const some of inAppends(events)) {
      if (await append(needs, trace, some)) continue;
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

const attemptsMax = 4;

/**
 * Behind whatever happened to the trace since it was read. What was scored of a record that changed
 * meanwhile is dropped: the change stands in the log after what was looked through, so the record
 * is scored anew. False: it changes too often.
 */
const append = async (
  { log, clock, ids }: Needs,
  scored: ScoredTrace,
  events: readonly Scored[],
): Promise<boolean> => {
  const stream = traceStream(scored.projectId, scored.id);
  let trace = scored;
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const since = await log.read(stream, { from: trace.revision + 1 });
    const now = scoredTrace(since, trace);
    // Deleted, or erased since.
    if (now === null) return true;
    trace = now;
    const fresh = events.filter(
      ({ data: { record_id: id } }) => touchedAt(now, id) === touchedAt(scored, id),
    );
    if (fresh.length === 0) return true;
    const authorship = authorshipOf({ clock, ids }, scored);
    const [result] = await log.append([
      {
        stream,
        expected: now.revision,
        events: stamped(stream, now.revision + 1, fresh, authorship),
      },
    ]);
    if (result !== 'conflict') return true;
  }
  return false;
};
