import { presetFacts, presetScorers, type ScorerFacts } from '../contract/scorers.js';
import { shownScorer, type CodeScorer } from '../contract/scorer-facts.js';
import { organizationEvents } from '../events/organizations.js';
import { scorerEvents } from '../events/scorers.js';
import type { EventOf } from '../events/schemas.js';
import type { StoredEvent } from '../kernel/ports.js';
import type { Document } from '../kernel/documents.js';
import type { Projection } from './projection.js';

export type ScorerRow =
  { readonly is: 'preset'; readonly facts: ScorerFacts } | ({ readonly is: 'code' } & CodeScorer);

/** Presets have one id in every organisation, so their key includes the organisation. */
export const presetKey = (organization: string, id: string): string => `${organization} ${id}`;

const events = { ...scorerEvents, ...organizationEvents };
type ListedEvent = EventOf<typeof events>;

/** Live scorers by id, in the scope of their organisation; each has the presets from its start. */
export const scorerList: Projection<typeof events, ScorerRow> = {
  collection: {
    name: 'scorer_list',
    version: 1,
    fields: {
      id: 'id',
      name: 'text',
      label: 'text',
      scorer_type: 'text',
      created_at: 'date',
      updated_at: 'date',
    },
  },
  events,
  keys: ({ type, data }) =>
    type === 'OrganizationCreated'
      ? presetScorers.map(({ id }) => presetKey(data.organization_id, id))
      : [data.scorer_id],
  evolve: (document, event, key) => {
    const row = rowAfter(document?.body ?? null, event, key);
    return row && documentOf(key, row);
  },
};

const rowAfter = (
  row: ScorerRow | null,
  event: StoredEvent<ListedEvent>,
  key: string,
): ScorerRow | null => {
  const { type, data, metadata } = event;
  const updatedAt = metadata.at;
  if (type === 'OrganizationCreated') {
    const { organization_id: organization } = data;
    const preset = presetScorers.find(({ id }) => presetKey(organization, id) === key);
    return preset === undefined
      ? null
      : { is: 'preset', facts: presetFacts(preset, organization, updatedAt) };
  }
  if (type === 'ScorerCreated') {
    return { is: 'code', created: data, latest: null, updatedAt: data.created_at };
  }
  if (row === null || row.is === 'preset' || type === 'ScorerDeleted') return null;
  if (type === 'ScorerDetailsChanged') {
    return { ...row, created: { ...row.created, details: data.details }, updatedAt };
  }
  const { source: _source, sha256: _sha256, ...latest } = data;
  return { ...row, latest, updatedAt };
};

export const scorerFacts = (row: ScorerRow): ScorerFacts =>
  row.is === 'preset' ? row.facts : shownScorer(row);

const documentOf = (key: string, row: ScorerRow): Document<ScorerRow> => {
  const { organization_id, id, name, label, scorer_type, created_at, updated_at } =
    scorerFacts(row);
  return {
    key,
    scope: organization_id,
    fields: { id, name, label, scorer_type, created_at, updated_at },
    body: row,
  };
};
