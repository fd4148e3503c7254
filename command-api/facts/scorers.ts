import type { ScorerDetails, ScorerEvent, ScorerVersionAdded } from '../../events/scorers.js';
import { unreachable, type Fold } from '../../kernel/decision.js';
import { type EventReader, type StreamName, streamNameOf } from '../../kernel/ports.js';
import type { Instant, OrganizationId, ScorerId, UserId } from '../../kernel/schema-types.js';
import { loadStreamState } from '../../kernel/transact.js';
import { scopedNames } from './reservations.js';

export const scorerStream = (id: string): StreamName => streamNameOf('scorer', id);

/** State of a code scorer; null before it was created. */
export type Scorer = {
  readonly id: ScorerId;
  readonly organizationId: OrganizationId;
  readonly name: string;
  readonly details: ScorerDetails;
  /** Version 1 first. */
  readonly versions: readonly ScorerVersionAdded[];
  readonly createdBy: UserId;
  readonly createdAt: Instant;
  readonly live: boolean;
};

export const scorers: Fold<Scorer | null, ScorerEvent> = {
  initial: null,
  evolve: (scorer, { type, data }) => {
    switch (type) {
      case 'ScorerCreated':
        return {
          id: data.scorer_id,
          organizationId: data.organization_id,
          name: data.name,
          details: data.details,
          versions: [],
          createdBy: data.created_by,
          createdAt: data.created_at,
          live: true,
        };
      case 'ScorerDetailsChanged':
        return scorer && { ...scorer, details: data.details };
      case 'ScorerVersionAdded':
        return scorer && { ...scorer, versions: [...scorer.versions, data] };
      case 'ScorerDeleted':
        return scorer && { ...scorer, live: false };
      default:
        return unreachable(type);
    }
  },
};

/** The live scorer; null when unknown, deleted or of another organisation. */
export const liveScorer = async (
  log: EventReader,
  organization: OrganizationId,
  id: string,
): Promise<Scorer | null> => {
  const { state } = await loadStreamState(log, scorerStream(id), scorers);
  return state?.live === true && state.organizationId === organization ? state : null;
};

/** Scorer names, unique in their organisation (contract 5.10). */
export const scorerNames = scopedNames({
  what: 'scorer',
  scope: 'organizationId',
  called: 'A scorer',
  holder: scorerStream,
  fold: scorers,
});
