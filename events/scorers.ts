// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type, type Static } from 'typebox';
import type { ChainAggregation, NodeType, ScoreType } from '../kernel/sandbox.js';
import { id, instant, nullable, type JsonObject } from '../kernel/schema-types.js';
import type { Noun } from './noun.js';
import { event, type DataOf, type EventOf } from './schemas.js';

const nodeTypes = Type.Array(Type.Unsafe<NodeType>(Type.String()));
const details = Type.Object({
  label: Type.String(),
  description: Type.String(),
  tags: Type.Array(Type.String()),
  /** Null: as the newest version declares. */
  scoreable_node_types: nullable(nodeTypes),
  required_scorers: Type.Array(Type.String()),
  output_type: nullable(Type.String()),
  /** Null: the default for its type. */
  roll_up_method: nullable(Type.Unsafe<'average' | 'sum' | 'max' | 'min'>(Type.String())),
  threshold: nullable(Type.Unsafe<JsonObject>(Type.Object({}))),
});

export const scorerEvents = {
  /** Only code scorers are created; presets are in every organisation. */
  ScorerCreated: event('entity create', {
    scorer_id: id('ScorerId'),
    organization_id: id('OrganizationId'),
    /** Metric name, which never changes. */
    name: Type.String(),
    details,
    created_by: id('UserId'),
    created_at: instant,
  }),
  /** All details from here on. */
  ScorerDetailsChanged: event('entity update', { scorer_id: id('ScorerId'), details }),
  ScorerVersionAdded: event('entity update', {
    scorer_id: id('ScorerId'),
    version_id: id('ScorerVersionId'),
    /** Version, from 1. */
    version: Type.Integer(),
    source: Type.String(),
    sha256: Type.String(),
    score_type: Type.Unsafe<ScoreType>(Type.String()),
    scoreable_node_types: nodeTypes,
    chain_aggregation: nullable(Type.Unsafe<ChainAggregation>(Type.String())),
    created_by: id('UserId'),
    created_at: instant,
  }),
  ScorerDeleted: event('entity delete', {
    scorer_id: id('ScorerId'),
    organization_id: id('OrganizationId'),
  }),
};
export const scorerSettingsEvents = {
  /** Stream `scorer-settings-<run>`: the list replaces the previous one. */
  ScorerSettingsChanged: event('entity update', {
    project_id: id('ProjectId'),
    run_id: id('RunId'),
    scorers: Type.Array(
      Type.Object({
        id: id('ScorerId'),
        name: Type.String(),
        scorer_type: Type.String(),
        /** Null: those of the scorer. */
        scoreable_node_types: nullable(nodeTypes),
      }),
    ),
  }),
};

export const scorerNoun: Noun = {
  stream: { name: 'scorer-<scorer>', subject: { own: 'scorer' }, erasedWith: 'nothing' },
  events: scorerEvents,
};

export const scorerSettingsNoun: Noun = {
  stream: { name: 'scorer-settings-<run>', subject: 'run', erasedWith: 'run' },
  events: scorerSettingsEvents,
};

export type ScorerEvent = EventOf<typeof scorerEvents>;
export type ScorerSettingsEvent = EventOf<typeof scorerSettingsEvents>;

export type ScorerDetails = Static<typeof details>;
export type ScorerCreated = DataOf<ScorerEvent, 'ScorerCreated'>;
export type ScorerVersionAdded = DataOf<ScorerEvent, 'ScorerVersionAdded'>;
