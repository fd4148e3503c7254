import { runScorersOf, type RunScorer } from '../contract/scorer-settings.js';
import type { ExperimentEvent } from '../events/experiments.js';
import type { ScorerSettingsEvent } from '../events/scorers.js';
import type { Projection } from './projection.js';

type Heard = ScorerSettingsEvent | Extract<ExperimentEvent, { readonly type: 'ExperimentCreated' }>;
export type RunScorers = { readonly scorers: readonly RunScorer[] };

/** By run, in the scope of its project; an experiment may begin with some. */
export const scorerSettings: Projection<Heard, RunScorers> = {
  collection: { name: 'scorer_settings', version: 1, fields: {} },
  goesWith: { scope: 'project', key: 'run' },
  types: ['ScorerSettingsChanged', 'ExperimentCreated'],
  keys: ({ data }) => [data.run_id],
  evolve: (_document, { data }, key) => ({
    key,
    scope: data.project_id,
    fields: {},
    body: { scorers: runScorersOf(data.scorers) },
  }),
};
