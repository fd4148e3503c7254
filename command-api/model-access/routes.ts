import {
  endIntegrationLending,
  lendIntegration,
  modelAccessAnswer,
  modelSettingsOf,
  setModelAccess,
  defaultCallsPerMinute,
  type ModelAccess,
} from '../../contract/model-access.js';
import { writeRoute, type Route } from '../../contract/operation.js';
import type { ModelAccessEvent } from '../../events/model-access.js';
import type { Decide } from '../../kernel/decision.js';
import { Fault } from '../../kernel/fault.js';
import type { EventLog } from '../../kernel/ports.js';
import type { ProjectId } from '../../kernel/schema-types.js';
import { loadStreamState, transact, type Authorship } from '../../kernel/transact.js';
import { loadLentIntegrations } from '../access/lent-integrations.js';
import { integrationOfUser } from '../facts/integrations.js';
import { modelAccesses, modelAccessStream } from '../facts/model-access.js';
import { endLending, lend, setSettings } from './model-access.js';

type ModelAccessNeeds = { readonly log: EventLog };

/** Write routes of model access (contract 5.17). */
export const modelAccessWrites = (needs: ModelAccessNeeds): readonly Route[] => [
  setting(needs),
  lending(needs),
  ending(needs),
];

const setting = (needs: ModelAccessNeeds): Route =>
  writeRoute(setModelAccess, ({ body, params: { project_id: project }, ifMatch, cause }) => {
    const decide = setSettings(project, modelSettingsOf(body), ifMatch);
    return decided(needs, project, decide, cause);
  });

const lending = (needs: ModelAccessNeeds): Route =>
  writeRoute(lendIntegration, async ({ body, params, principal, ifMatch, cause }) => {
    const { project_id: project, integration_id: id } = params;
    const own = await integrationOfUser(needs.log, principal.userId, id);
    if (own === null) throw notFound();
    const limits = {
      daily_budget: body.daily_budget ?? null,
      calls_per_minute: body.calls_per_minute ?? defaultCallsPerMinute,
    };
    return decided(needs, project, lend(project, own, limits, ifMatch), cause);
  });

const ending = (needs: ModelAccessNeeds): Route =>
  writeRoute(
    endIntegrationLending,
    async ({ params, principal, project: seen, ifMatch, cause }) => {
      const { project_id: project, integration_id: integration } = params;
      const { state } = await loadStreamState(needs.log, modelAccessStream(project), modelAccesses);
      const isLent = state.lendings.some(({ integration_id: id }) => id === integration);
      if (!isLent) throw notFound();
      const caller = { userId: principal.userId, role: seen?.role ?? 'viewer' };
      return decided(needs, project, endLending({ project, integration, caller, ifMatch }), cause);
    },
  );

const notFound = (): Fault => new Fault('not-found', 'Integration not found');

const decided = async (
  { log }: ModelAccessNeeds,
  project: ProjectId,
  decide: Decide<ModelAccess, ModelAccessEvent>,
  cause: Authorship,
) => {
  const stream = modelAccessStream(project);
  const { state, position } = await transact(log, stream, modelAccesses, decide, cause);
  const lent = await loadLentIntegrations(log)(project, state.lendings);
  return { position, ...modelAccessAnswer(state, lent) };
};
