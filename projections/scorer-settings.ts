import { runScorersOf, type RunScorer } from '../contract/scorer-settings.js';
import { experimentEvents } from '../events/experiments.js';
import { scorerSettingsEvents } from '../events/scorers.js';
import { pickEvents } from '../events/schemas.js';
import type { Projection } from './projection.js';

export type RunScorers = { readonly scorers: readonly RunScorer[] };

const events = { ...scorerSettingsEvents, ...pickEvents(experimentEvents, 'ExperimentCreated') };

/** Scorer settings by run, in the scope of its project; an experiment may be created with some. */
export const scorerSettings: Projection<typeof events, RunScorers> = {
  collection: { name: 'scorer_settings', version: 1, fields: {} },
  deletedWith: { scope: 'project', key: 'run' },
  events,
  keys: ({ data }) => [data.run_id],
  evolve: (_document, { data }, key) => ({
    key,
    scope: data.project_id,
    fields: {},
    body: { scorers: runScorersOf(data.scorers) },
  }),
};
