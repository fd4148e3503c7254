import { shownVersion } from '../contract/scorer-facts.js';
import type { ScorerVersion } from '../contract/scorers.js';
import { scorerEvents } from '../events/scorers.js';
import { pickEvents } from '../events/schemas.js';
import type { Projection } from './projection.js';

export type StoredScorerVersion = { readonly version: ScorerVersion; readonly source: string };

export const scorerVersionKey = (scorer: string, version: number): string => `${scorer} ${version}`;

const events = pickEvents(scorerEvents, 'ScorerVersionAdded');

/**
 * All versions of all code scorers, in the scope of the scorer. Those of a deleted scorer stay, but
 * are not visible.
 */
export const scorerVersions: Projection<typeof events, StoredScorerVersion> = {
  collection: { name: 'scorer_versions', version: 1, fields: { version: 'number' } },
  events,
  keys: ({ data }) => [scorerVersionKey(data.scorer_id, data.version)],
  evolve: (_document, { data }, key) => ({
    key,
    scope: data.scorer_id,
    fields: { version: data.version },
    body: { version: shownVersion(data), source: data.source },
  }),
};
