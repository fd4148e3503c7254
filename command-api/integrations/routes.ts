import {
  configureIntegration,
  deleteIntegration,
  disableIntegration,
  integrationAnswer,
  selectIntegration,
} from '../../contract/integrations.js';
import {
  complaintsAboutConfiguration,
  configurationOf,
  isProvider,
  type Provider,
} from '../../contract/integration-providers.js';
import { writeRoute, type Route } from '../../contract/operation.js';
import type { Principal } from '../../contract/roles.js';
import type {
  IntegrationEvent,
  IntegrationPlace,
  IntegrationSecretsSealed,
} from '../../events/integrations.js';
import { isRejection, type Decide } from '../../kernel/decision.js';
import type { EgressRules } from '../../kernel/egress.js';
import { Fault } from '../../kernel/fault.js';
import type { EventLog, Ids, Position } from '../../kernel/ports.js';
import type { IfMatch } from '../../kernel/if-match.js';
import type { IntegrationId, JsonObject, UserId } from '../../kernel/schema-types.js';
import {
  asConflict,
  loadStreamState,
  retryOnConflict,
  transact,
  type Authorship,
} from '../../kernel/transact.js';
import type { Vault } from '../../kernel/vault.js';
import type { KeyedMutex } from '../../kernel/concurrency.js';
import {
  integrationFacts,
  integrationOfUser,
  integrationSlots,
  integrationStream,
  sealPrefix,
  type IntegrationSlot,
} from '../facts/integrations.js';
import {
  configure,
  disable,
  integrationNotFound,
  isConfigured,
  remove,
  select,
} from './integrations.js';
import { eraseSeal, configurationFingerprint, writeSeal } from './secret-seals.js';

type IntegrationNeeds = {
  readonly log: EventLog;
  readonly ids: Ids;
  readonly vault: Vault;
  readonly keyedMutex: KeyedMutex;
  /** Hosts that the service may call. */
  readonly egressRules: EgressRules;
};

/** Write routes of integrations (contract 4.9, 5.9): users write their own only. */
export const integrationWrites = (needs: IntegrationNeeds): readonly Route[] => {
  const { log, keyedMutex } = needs;
  const decided = (
    user: UserId,
    provider: Provider,
    decide: Decide<IntegrationSlot, IntegrationEvent>,
    cause: Authorship,
  ) => {
    const stream = integrationStream(user, provider);
    return keyedMutex([stream], () => transact(log, stream, integrationSlots, decide, cause));
  };
  return [
    writeRoute(
      configureIntegration,
      async ({ body, params, principal, ifMatch, cause, mint }) => {
        const provider = requireProvider(params.provider_segment);
        const request = { provider, sent: body, ifMatch, id: mint('IntegrationId') };
        const stream = integrationStream(principal.userId, provider);
        const { slot, position } = await keyedMutex([stream], () =>
          configureIntegrationOf(needs, request, principal, cause),
        );
        return { position, ...answerOf(slot, principal) };
      },
      ({ body, params }) =>
        complaintsAboutConfiguration(params.provider_segment, body, needs.egressRules),
    ),

    writeRoute(deleteIntegration, async ({ params, principal, ifMatch, cause }) => {
      const provider = requireProvider(params.provider_segment);
      const stream = integrationStream(principal.userId, provider);
      const { position } = await keyedMutex([stream], async () => {
        const { integration } = (await loadStreamState(log, stream, integrationSlots)).state;
        if (integration === null) throw notFound();
        const done = await transact(log, stream, integrationSlots, remove(ifMatch), cause);
        await eraseSeal(log, integration);
        return done;
      });
      return { position, body: { message: 'The integration is deleted and its secrets erased.' } };
    }),

    writeRoute(selectIntegration, async ({ params, principal, ifMatch, cause }) => {
      const { integration_id: id } = params;
      const own = await integrationOfUser(log, principal.userId, id);
      if (own === null) throw await refuseForeign(log, principal, id);
      const decide = select(id, ifMatch, cause.at);
      const { state, position } = await decided(
        principal.userId,
        own.place.provider,
        decide,
        cause,
      );
      return { position, ...answerOf(state, principal) };
    }),

    writeRoute(disableIntegration, async ({ body, principal, cause }) => {
      const provider = requireProvider(body.integration_name);
      const decide = disable(body.disabled ?? true, cause.at);
      const { state, position } = await decided(principal.userId, provider, decide, cause);
      return { position, ...answerOf(state, principal) };
    }),
  ];
};

const requireProvider = (segment: string): Provider => {
  if (!isProvider(segment)) throw notFound();
  return segment;
};

const notFound = (): Fault => {
  const { rejected, detail } = integrationNotFound();
  return new Fault(rejected, detail);
};

const answerOf = ({ integration, tag }: IntegrationSlot, { userId }: Principal) => {
  if (integration === null) throw notFound();
  return { body: integrationAnswer(integrationFacts(integration), userId), etag: tag };
};

/**
 * Fault for an integration of another user: admins see it (contract 2.6, rule 7) but may not act on
 * it.
 */
const refuseForeign = async (
  log: EventLog,
  { organizationId, organizationRole }: Principal,
  id: IntegrationId,
): Promise<Fault> => {
  if (organizationRole !== 'admin') return notFound();
  const [stream] = await log.streams(`${sealPrefix}${id}-`, null, 1);
  const [first] = stream === undefined ? [] : await log.read(stream, { limit: 1 });
  const seal = first?.data as IntegrationSecretsSealed | undefined;
  return seal?.organization_id === organizationId
    ? new Fault('forbidden', 'Integrations belong to one user')
    : notFound();
};

type ConfigureRequest = {
  readonly provider: Provider;
  readonly sent: JsonObject;
  readonly ifMatch: IfMatch | null;
  /** Id for a new integration. */
  readonly id: IntegrationId;
};

/**
 * Seals the secrets for the current slot, then records them on the stream; retried as a whole after
 * a conflict. The worker erases the unused ciphertext.
 */
const configureIntegrationOf = async (
  needs: IntegrationNeeds,
  { provider, sent, ifMatch, id }: ConfigureRequest,
  principal: Principal,
  cause: Authorship,
): Promise<{ readonly slot: IntegrationSlot; readonly position: Position }> => {
  const { log, ids, vault } = needs;
  const stream = integrationStream(principal.userId, provider);
  const owner = { organization_id: principal.organizationId, user_id: principal.userId, provider };
  const configuration = configurationOf(provider, sent);
  const fingerprint = configurationFingerprint(vault, owner, configuration);
  return retryOnConflict(async () => {
    const { state: seen, position } = await loadStreamState(log, stream, integrationSlots);
    const { integration } = seen;
    const place: IntegrationPlace = {
      ...owner,
      integration_id: integration?.place.integration_id ?? id,
    };
    const seal = {
      seal_id: ids.next('SealId'),
      seal_version: (integration?.sealVersion ?? 0) + 1,
    };
    const { settings, secrets } = configuration;
    const data = { ...place, ...seal, at: cause.at, name: provider, settings, fingerprint };
    const decide = configure(data, seen, ifMatch);
    const decision = decide(seen);
    if (isRejection(decision)) throw new Fault(decision.rejected, decision.detail);
    if (isConfigured(seen, fingerprint)) return { slot: seen, position };
    await writeSeal(needs, place, seal, JSON.stringify(secrets), cause);
    const done = await transact(log, stream, integrationSlots, decide, cause).catch(asConflict);
    if (done === 'conflict') return done;
    // A ciphertext replaced by another process meanwhile is erased by the worker's sweep.
    if (integration !== null) await eraseSeal(log, integration);
    return { slot: done.state, position: done.position };
  });
};
