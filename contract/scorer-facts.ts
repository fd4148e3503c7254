import type { Static } from 'typebox';
import type { ChainAggregation, NodeType, ScoreType } from '../kernel/sandbox.js';
import type {
  Instant,
  JsonObject,
  OrganizationId,
  ScorerId,
  ScorerVersionId,
  UserId,
} from '../kernel/schema-types.js';
import type { scorer, ScorerFacts, ScorerVersion } from './scorers.js';

/** Scorer as folded from events, in the form shown by writes and reads alike. */
type ScorerCreatedFacts = {
  readonly scorer_id: ScorerId;
  readonly organization_id: OrganizationId;
  readonly name: string;
  readonly details: {
    readonly label: string;
    readonly description: string;
    readonly tags: readonly string[];
    readonly scoreable_node_types: readonly NodeType[] | null;
    readonly required_scorers: readonly string[];
    readonly output_type: string | null;
    readonly roll_up_method: 'average' | 'sum' | 'max' | 'min' | null;
    readonly threshold: JsonObject | null;
  };
  readonly created_by: UserId;
  readonly created_at: Instant;
};
type ScorerVersionFacts = {
  readonly scorer_id: ScorerId;
  readonly version_id: ScorerVersionId;
  readonly version: number;
  readonly score_type: ScoreType;
  readonly scoreable_node_types: readonly NodeType[];
  readonly chain_aggregation: ChainAggregation | null;
  readonly created_by: UserId;
  readonly created_at: Instant;
};

export const shownVersion = (added: ScorerVersionFacts): ScorerVersion => ({
  id: added.version_id,
  version: added.version,
  scorer_id: added.scorer_id,
  score_type: added.score_type,
  scoreable_node_types: [...added.scoreable_node_types],
  chain_aggregation: added.chain_aggregation,
  created_at: added.created_at,
  updated_at: added.created_at,
  created_by: added.created_by,
});

export type CodeScorer = {
  readonly created: ScorerCreatedFacts;
  readonly latest: ScorerVersionFacts | null;
  readonly updatedAt: Instant;
};

export const shownScorer = ({ created, latest, updatedAt }: CodeScorer): ScorerFacts => {
  const { details } = created;
  const version = latest && shownVersion(latest);
  return {
    id: created.scorer_id,
    organization_id: created.organization_id,
    name: created.name,
    ...withDetails(details, version),
    scorer_type: 'code',
    model_type: 'code',
    defaults: null,
    default_version: version,
    latest_version: version,
    deprecated: false,
    ground_truth: false,
    is_global: true,
    scope_projects: [],
    created_by: created.created_by,
    created_at: created.created_at,
    updated_at: updatedAt,
  };
};

/** Details of a scorer; the newest version is the default and fills in open ones. */
const withDetails = (details: ScorerCreatedFacts['details'], version: ScorerVersion | null) => ({
  label: details.label,
  description: details.description,
  tags: [...details.tags],
  output_type: details.output_type,
  scoreable_node_types: [...(details.scoreable_node_types ?? version?.scoreable_node_types ?? [])],
  required_scorers: [...details.required_scorers],
  roll_up_method: details.roll_up_method,
  threshold: details.threshold as Static<typeof scorer>['threshold'],
});
