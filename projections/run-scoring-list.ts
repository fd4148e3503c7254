import type { RunScoringFacts } from '../contract/jobs.js';
import { runScoringEvents, type RunScoringEvent } from '../events/run-scoring.js';
import type { Projection } from './projection.js';

/** How far scoring of runs has come, by run, in the scope of its project. */
export const runScoringList: Projection<typeof runScoringEvents, RunScoringFacts> = {
  collection: { name: 'run_scoring_list', version: 1, fields: {} },
  goesWith: { scope: 'project', key: 'run' },
  events: runScoringEvents,
  keys: ({ data }) => [data.run_id],
  evolve: (document, { type, data }, key) => {
    const before = document?.body ?? null;
    const body = type === 'RunScoringStarted' ? started(before, data) : ended(before, data);
    return body && { key, scope: data.project_id, fields: {}, body };
  },
};

type Data<Type> = Extract<RunScoringEvent, { readonly type: Type }>['data'];

const started = (
  before: RunScoringFacts | null,
  { project_id, run_id, scorers, steps, started_at }: Data<'RunScoringStarted'>,
): RunScoringFacts => ({
  project_id,
  run_id,
  scorers,
  done: before?.done ?? 0,
  open: steps,
  retries: (before?.retries ?? 0) + (before?.open == null ? 0 : 1),
  error_message: null,
  created_at: before?.created_at ?? started_at,
  started_at,
  ended_at: null,
});

const ended = (
  before: RunScoringFacts | null,
  { error_message, ended_at }: Data<'RunScoringEnded'>,
): RunScoringFacts | null =>
  before && {
    ...before,
    done: before.done + (before.open ?? 0),
    open: null,
    error_message,
    ended_at,
  };
