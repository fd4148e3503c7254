import type { Actor, Clock, Ids, StoredEvent } from '../../kernel/ports.js';
import type { Authorship } from '../../kernel/transact.js';

export const serviceActor: Actor = { type: 'service', id: 'assay', role: 'service' };

type Needs = { readonly clock: Pick<Clock, 'now'>; readonly ids: Pick<Ids, 'derive'> };

/**
 * Authorship of the service, under the id of its work for an organisation. Repeated work derives
 * the same event ids; `seed` separates different works on one stream.
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

/** Authorship of the service in reaction to an event: under its request and organisation. */
export const reactionAuthorship = (
  needs: Needs,
  { id, metadata }: StoredEvent,
  ...seed: readonly string[]
): Authorship => ({
  ...serviceAuthorship(needs, metadata.organization_id, metadata.request_id, ...seed),
  correlationId: metadata.correlation_id,
  causationId: id,
});
