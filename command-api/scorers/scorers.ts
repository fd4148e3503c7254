import type { ScorerDetailsInput } from '../../contract/scorers.js';
import type {
  ScorerCreated,
  ScorerDetails,
  ScorerEvent,
  ScorerVersionAdded,
} from '../../events/scorers.js';
import { reject, type Decide } from '../../kernel/decision.js';
import type { Scorer } from '../facts/scorers.js';

export const create =
  (data: ScorerCreated): Decide<Scorer | null, ScorerEvent> =>
  (scorer) => {
    if (scorer === null) return [{ type: 'ScorerCreated', data }];
    return isRepeat(scorer, data)
      ? []
      : reject('already-exists', 'A scorer of this id exists already');
  };

/** True if the request repeats the creation by the same person (contract 1.8, rule 5). */
export const isRepeat = (scorer: Scorer, data: Omit<ScorerCreated, 'created_at'>): boolean =>
  scorer.live &&
  scorer.organizationId === data.organization_id &&
  scorer.createdBy === data.created_by &&
  scorer.name === data.name &&
  JSON.stringify(scorer.details) === JSON.stringify(data.details);

/** Null or absent: the member stays as it is. */
export const detailsWith = (before: ScorerDetails, given: ScorerDetailsInput): ScorerDetails => {
  const { threshold } = given;
  return {
    label: given.label ?? before.label,
    description: given.description ?? before.description,
    tags: [...new Set(given.tags ?? before.tags)],
    scoreable_node_types: given.scoreable_node_types ?? before.scoreable_node_types,
    required_scorers: [...new Set(given.required_scorers ?? before.required_scorers)],
    output_type: given.output_type ?? before.output_type,
    roll_up_method: given.roll_up_method ?? before.roll_up_method,
    threshold:
      threshold == null
        ? before.threshold
        : {
            buckets: threshold.buckets,
            display_value_levels: threshold.display_value_levels,
            inverted: threshold.inverted === true,
          },
  };
};

export const noDetails = (name: string): ScorerDetails => ({
  label: name,
  description: '',
  tags: [],
  scoreable_node_types: null,
  required_scorers: [],
  output_type: null,
  roll_up_method: null,
  threshold: null,
});

export const change =
  (given: ScorerDetailsInput): Decide<Scorer | null, ScorerEvent> =>
  (scorer) => {
    if (scorer?.live !== true) return reject('not-found', 'Scorer not found');
    const details = detailsWith(scorer.details, given);
    return JSON.stringify(details) === JSON.stringify(scorer.details)
      ? []
      : [{ type: 'ScorerDetailsChanged', data: { scorer_id: scorer.id, details } }];
  };

/**
 * Limit of a scorer's versions in characters together: thousands of usual ones, and a bound on the
 * time to load a scorer (contract 1.11).
 */
export const sourcesMax = 16 * 1_024 * 1_024;

export const addVersion =
  (added: Omit<ScorerVersionAdded, 'version'>): Decide<Scorer | null, ScorerEvent> =>
  (scorer) => {
    if (scorer?.live !== true) return reject('not-found', 'Scorer not found');
    if (scorer.versions.some((one) => one.version_id === added.version_id)) return [];
    const sources = scorer.versions.reduce((sum, { source }) => sum + source.length, 0);
    if (sources + added.source.length > sourcesMax) {
      return reject('conflict', 'All versions of a scorer have at most 16 MiB together');
    }
    const version = scorer.versions.length + 1;
    return [{ type: 'ScorerVersionAdded', data: { ...added, version } }];
  };

export const remove: Decide<Scorer | null, ScorerEvent> = (scorer) =>
  scorer?.live === true
    ? [
        {
          type: 'ScorerDeleted',
          data: { scorer_id: scorer.id, organization_id: scorer.organizationId },
        },
      ]
    : [];
