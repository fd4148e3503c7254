import type { Lending, ModelAccess, ModelSettings } from '../../contract/model-access.js';
import { uncallableReason } from '../../contract/integration-providers.js';
import type { ModelAccessEvent } from '../../events/model-access.js';
import { reject, type Decide, type Rejection } from '../../kernel/decision.js';
import { valueComplaint } from '../../kernel/fault.js';
import { isIfMatchMet, type IfMatch } from '../../kernel/if-match.js';
import type { IntegrationId, ProjectId, UserId } from '../../kernel/schema-types.js';
import type { ProjectRole } from '../../contract/roles.js';
import type { Integration } from '../facts/integrations.js';

type DecideAccess = Decide<ModelAccess, ModelAccessEvent>;

/** Limits of a lending, as its lender gives them. */
type LendingLimits = Pick<Lending, 'daily_budget' | 'calls_per_minute'>;

/**
 * Lends a user's integration, or changes the limits (contract 5.17, rule 1). A lending that the
 * same user made with an earlier integration of the provider, which was deleted since, ends.
 */
export const lend =
  (
    project: ProjectId,
    { place, settings }: Integration,
    limits: LendingLimits,
    ifMatch: IfMatch | null,
  ): DecideAccess =>
  (access) => {
    const unmet = complaintAbout(access, ifMatch);
    if (unmet !== null) return unmet;
    const { integration_id, provider, user_id: lent_by } = place;
    const reason = uncallableReason(provider, settings);
    if (reason !== null) return invalid(reason);
    const known = access.lendings.find((one) => one.provider === provider);
    const isReplaced = known !== undefined && known.integration_id !== integration_id;
    if (isReplaced && known.lent_by !== lent_by) {
      return invalid(`the project has an integration of ${provider} already; end its lending`);
    }
    if (known !== undefined && !isReplaced && hasLimits(known, limits)) return [];
    const lending: Lending = { integration_id, provider, lent_by, ...limits };
    return [
      ...(isReplaced ? [lendingEnded(project, known.integration_id)] : []),
      { type: 'IntegrationLent', data: { project_id: project, ...lending } },
    ];
  };

type Ending = {
  readonly project: ProjectId;
  readonly integration: IntegrationId;
  readonly caller: { readonly userId: UserId; readonly role: ProjectRole };
  readonly ifMatch: IfMatch | null;
};

/** Ends a lending, if any: by its lender or an owner of the project (contract 5.17, rule 3). */
export const endLending =
  ({ project, integration, caller, ifMatch }: Ending): DecideAccess =>
  (access) => {
    const known = access.lendings.find(({ integration_id: id }) => id === integration);
    if (known === undefined) return [];
    if (known.lent_by !== caller.userId && caller.role !== 'owner') {
      return reject(
        'forbidden',
        'Only the user who lent it and owners of the project end a lending',
      );
    }
    return complaintAbout(access, ifMatch) ?? [lendingEnded(project, integration)];
  };

export const setSettings =
  (project: ProjectId, settings: ModelSettings, ifMatch: IfMatch | null): DecideAccess =>
  (access) => {
    const unmet = complaintAbout(access, ifMatch);
    if (unmet !== null) return unmet;
    const names = Object.keys(settings) as (keyof ModelSettings)[];
    return names.every((name) => settings[name] === access.settings[name])
      ? []
      : [{ type: 'ModelAccessSet', data: { project_id: project, ...settings } }];
  };

const lendingEnded = (project_id: ProjectId, integration_id: IntegrationId) =>
  ({ type: 'IntegrationLendingEnded', data: { project_id, integration_id } }) as const;

const hasLimits = (lending: Lending, limits: LendingLimits): boolean =>
  lending.daily_budget === limits.daily_budget &&
  lending.calls_per_minute === limits.calls_per_minute;

const invalid = (sentence: string): Rejection =>
  reject('invalid', 'The request is not valid', {
    complaints: [valueComplaint(['path', 'integration_id'], sentence)],
  });

const complaintAbout = ({ changes }: ModelAccess, ifMatch: IfMatch | null): Rejection | null =>
  isIfMatchMet(ifMatch, String(changes))
    ? null
    : reject('precondition-failed', 'The model access was changed meanwhile');
