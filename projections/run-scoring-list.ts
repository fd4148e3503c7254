import type { RunScoringFacts } from '../contract/jobs.js';
import { mergeFailureCounts, noOutcomes } from '../contract/scoring-counts.js';
import { runScorersOf } from '../contract/scorer-settings.js';
import { experimentEvents } from '../events/experiments.js';
import { runScoringEvents } from '../events/run-scoring.js';
import { pickEvents, type DataOf, type EventOf } from '../events/schemas.js';
import { scorerSettingsEvents } from '../events/scorers.js';
import { traceEvents } from '../events/traces.js';
import { unreachable } from '../kernel/decision.js';
import type { StoredEvent } from '../kernel/ports.js';
import type { Projection } from './projection.js';

const events = {
  ...runScoringEvents,
  ...scorerSettingsEvents,
  ...pickEvents(experimentEvents, 'ExperimentCreated'),
  ...pickEvents(
    traceEvents,
    'TraceLogged',
    'OtelSpansReceived',
    'SpansLogged',
    'TraceUpdated',
    'SpanUpdated',
  ),
};
type ScoringInputEvent = EventOf<typeof events>;

/**
 * Scoring progress of runs, by run, in the scope of its project: records known to wait, outcomes of
 * the rest, and whether the run changed since the worker last read it.
 */
export const runScoringList: Projection<typeof events, RunScoringFacts> = {
  collection: { name: 'run_scoring_list', version: 2, fields: {} },
  deletedWith: { scope: 'project', key: 'run' },
  events,
  keys: ({ data: { run_id: run } }) => (run === undefined ? [] : [run]),
  evolve: (document, event, key) => {
    const body = evolve(document?.body ?? null, event);
    return body && { key, scope: event.data.project_id, fields: {}, body };
  },
};

/** Null until the run has a code scorer. */
const evolve = (
  facts: RunScoringFacts | null,
  event: StoredEvent<ScoringInputEvent>,
): RunScoringFacts | null => {
  const { type, data, metadata, position } = event;
  if (type === 'ScorerSettingsChanged' || type === 'ExperimentCreated') {
    return withScorers(facts, data);
  }
  if (type === 'RunScoringStarted') return withStart(facts ?? emptyFacts(data), data);
  if (facts === null) return null;
  switch (type) {
    case 'RunScoringAdvanced':
      return { ...withOutcomes(facts, data), open: sumOf(data.waiting) };
    case 'RunScoringEnded':
      return withEnd(facts, data, position);
    case 'TraceLogged':
    case 'OtelSpansReceived':
    case 'SpansLogged':
    case 'TraceUpdated':
    case 'SpanUpdated':
      return facts.wanted
        ? { ...facts, unseen: { position, since: facts.unseen?.since ?? metadata.at } }
        : facts;
    default:
      return unreachable(type);
  }
};

const emptyFacts = ({
  project_id,
  run_id,
}: Pick<RunScoringFacts, 'project_id' | 'run_id'>): RunScoringFacts => ({
  project_id,
  run_id,
  scorers: [],
  outcomes: {},
  done: 0,
  open: null,
  retries: 0,
  error_message: null,
  wanted: true,
  unseen: null,
  created_at: null,
  started_at: null,
  updated_at: null,
  ended_at: null,
});

/** Records that arrived while the run had no scorer are not scored by later ones. */
const withScorers = (
  facts: RunScoringFacts | null,
  data: DataOf<ScoringInputEvent, 'ScorerSettingsChanged' | 'ExperimentCreated'>,
): RunScoringFacts | null => {
  const wanted = runScorersOf(data.scorers).some((one) => one.scorer_type === 'code');
  if (facts === null) return wanted ? emptyFacts(data) : null;
  if (wanted === facts.wanted) return facts;
  return { ...facts, outcomes: withWaiting(facts, {}), open: null, wanted, unseen: null };
};

/** Replaces the number of waiting records of each scorer. */
const withWaiting = (
  { outcomes }: RunScoringFacts,
  waiting: Readonly<Record<string, number>>,
): RunScoringFacts['outcomes'] =>
  Object.fromEntries(
    [...new Set([...Object.keys(outcomes), ...Object.keys(waiting)])].map((scorer) => [
      scorer,
      { ...(outcomes[scorer] ?? noOutcomes), waiting: waiting[scorer] ?? 0 },
    ]),
  );

const withStart = (
  before: RunScoringFacts,
  {
    scorers,
    steps,
    waiting = {},
    goes_on,
    started_at,
  }: DataOf<ScoringInputEvent, 'RunScoringStarted'>,
): RunScoringFacts => {
  const isLost = before.open !== null && goes_on !== true;
  return {
    ...before,
    scorers,
    outcomes: withWaiting(before, waiting),
    open: steps,
    retries: before.retries + (isLost ? 1 : 0),
    error_message: null,
    created_at: before.created_at ?? started_at,
    started_at,
    updated_at: started_at,
    ended_at: null,
  };
};

type Outcomes = DataOf<ScoringInputEvent, 'RunScoringAdvanced'>['outcomes'];

/** Adds the outcomes of records since the event before. */
const withOutcomes = (
  facts: RunScoringFacts,
  { outcomes, waiting }: { readonly outcomes: Outcomes; readonly waiting: WaitingCounts },
): RunScoringFacts => {
  const after = new Map(Object.entries(withWaiting(facts, waiting)));
  let settled = 0;
  for (const [scorer, { scored, skipped, failed }] of Object.entries(outcomes)) {
    const before = after.get(scorer) ?? noOutcomes;
    after.set(scorer, {
      waiting: before.waiting,
      scored: before.scored + scored,
      skipped: before.skipped + skipped,
      failed: mergeFailureCounts(before.failed, failed),
    });
    settled += scored + skipped + sumOf(failed);
  }
  return { ...facts, outcomes: Object.fromEntries(after), done: facts.done + settled };
};
type WaitingCounts = Readonly<Record<string, number>>;

const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

const withEnd = (
  facts: RunScoringFacts,
  { error_message, ended_at, outcomes, through }: DataOf<ScoringInputEvent, 'RunScoringEnded'>,
  position: string,
): RunScoringFacts => {
  const { unseen, open, created_at, started_at } = facts;
  const before = outcomes === undefined ? { ...facts, done: facts.done + (open ?? 0) } : facts;
  return {
    ...withOutcomes(before, { outcomes: outcomes ?? {}, waiting: {} }),
    open: null,
    error_message,
    // Events up to this position were covered by the pass that ended.
    unseen: unseen !== null && unseen.position <= (through ?? position) ? null : unseen,
    created_at: created_at ?? ended_at,
    started_at: started_at ?? ended_at,
    updated_at: ended_at,
    ended_at,
  };
};
