import { modelsOf } from '../../contract/integration-providers.js';
import type { Lending, LentIntegration } from '../../contract/model-access.js';
import { isRoleAtLeast, projectRoles, type ProjectRole } from '../../contract/roles.js';
import type { EventReader } from '../../kernel/ports.js';
import type { ProjectId } from '../../kernel/schema-types.js';
import { loadStreamState } from '../../kernel/transact.js';
import { integrationSlots, integrationStream, type Integration } from '../facts/integrations.js';
import { projectRoleOf } from './project-roles.js';

/** Lendings of a project as the log has them now: what may be called (contract 5.17, rule 2). */
export const loadLentIntegrations =
  (log: EventReader) =>
  (project: ProjectId, lendings: readonly Lending[]): Promise<readonly LentIntegration[]> =>
    Promise.all(
      lendings.map(async (lending) => {
        const { lent_by: lender, provider, integration_id: id } = lending;
        const [slot, role] = await Promise.all([
          loadStreamState(log, integrationStream(lender, provider), integrationSlots),
          projectRoleOf(log, lender, project),
        ]);
        const { integration } = slot.state;
        const known = integration?.place.integration_id === id ? integration : null;
        const models = known === null ? [] : modelsOf(known.settings);
        return { ...lending, state: stateOf(known, role), models: [...models] };
      }),
    );

const stateOf = (known: Integration | null, role: ProjectRole | null): LentIntegration['state'] => {
  if (known === null) return 'deleted';
  if (role === null || !isRoleAtLeast<ProjectRole>(projectRoles, role, 'editor')) {
    return 'not_editor';
  }
  return known.disabled ? 'disabled' : 'usable';
};
