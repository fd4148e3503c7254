import type { Actor, Clock, Ids, StoredEvent } from '../../kernel/ports.js';
import type { Authorship } from '../../kernel/transact.js';

export const serviceActor: Actor = { type: 'service', id: 'assay', role: 'service' };

type Needs = { readonly clock: Pick<Clock, 'now'>; readonly ids: Pick<Ids, 'derive'> };

/**
 * The service itself, under the id of the work that it does for an organisation. Done again it
 * makes the same event ids; `seed` keeps those of different works on one stream apart.
 */
export const serviceAuthorship = (
  { clock, ids }: Needs,
  organizationId: Authorship['organizationId'],
  id: string,
  ...seed: readonly string[]
): Authorship => ({
  actor: serviceActor,
  requestId: id,
  correlationId: id,
  causationId: null,
  at: clock.now(),
  organizationId,
  eventId: (name, revision) => ids.derive('EventId', ...seed, name, String(revision)),
});

/**
 * As `serviceAuthorship`, because of an event: under the request that left it, in its organisation.
 */
export const reactionAuthorship = (
  needs: Needs,
  { id, metadata }: StoredEvent,
  ...seed: readonly string[]
): Authorship => ({
  ...serviceAuthorship(needs, metadata.organization_id, metadata.request_id, ...seed),
  correlationId: metadata.correlation_id,
  causationId: id,
});
