import {
  isRoleAtLeast,
  organizationRoles,
  projectRoles,
  type Principal,
} from '../../contract/roles.js';
import { validationRowsMax } from '../../contract/scorer-validation.js';
import type { ContentChanged } from '../../events/datasets.js';
import type { ScorerTaskRequest } from '../../events/scorer-tasks.js';
import { Fault, valueFault } from '../../kernel/fault.js';
import type { ProjectId } from '../../kernel/schema-types.js';
import type { Authorship } from '../../kernel/transact.js';
import { currentVersion, projectsOfDataset, type Dataset } from '../facts/datasets.js';
import { ensureOwnProject } from './own-project.js';
import { liveUser } from '../facts/users.js';
import type { ScorerTaskNeeds } from './needs.js';

type RowRange = {
  readonly dataset_version_index?: number | null;
  readonly limit?: number | null;
  readonly starting_token?: number | null;
};
const defaultLimit = 100;

/** The requested rows: [starting_token, starting_token + limit) of the version, in order. */
export const requestedRows = (
  dataset: Dataset,
  range: RowRange,
): NonNullable<ScorerTaskRequest['dataset']> => {
  const version = requestedVersion(dataset, range.dataset_version_index ?? null);
  const from = range.starting_token ?? 0;
  const limit = Math.min(range.limit ?? defaultLimit, validationRowsMax);
  if (from >= version.num_rows) {
    const rows = `version ${version.version_index} has ${version.num_rows} rows`;
    throw valueFault(['body', 'starting_token'], `no row is in range: ${rows}`);
  }
  return {
    dataset_id: dataset.id,
    version_index: version.version_index,
    starting_token: from,
    limit,
    num_rows: Math.min(limit, version.num_rows - from),
  };
};

const requestedVersion = (dataset: Dataset, index: number | null): ContentChanged => {
  if (index === null) return currentVersion(dataset);
  const version = dataset.versions[index - 1];
  if (version !== undefined) return version;
  throw valueFault(['body', 'dataset_version_index'], `the dataset has no version ${index}`);
};

/**
 * The project of a validation (contract 4.11, rule 3): that of the bound key; else the dataset's
 * where the caller is editor; else the caller's own project for validations.
 */
export const validationProject = async (
  needs: ScorerTaskNeeds,
  principal: Principal,
  dataset: Dataset,
  cause: Authorship,
): Promise<ProjectId> => {
  const isEditor = async (id: ProjectId): Promise<boolean> => {
    const project = await needs.visibleProject(principal, id);
    return project !== null && isRoleAtLeast(projectRoles, project.role, 'editor');
  };
  const bound = principal.key?.projectId ?? null;
  if (bound !== null) {
    if (await isEditor(bound)) return bound;
    throw new Fault('forbidden', 'This needs the role editor in the project of the key');
  }
  for (const project of projectsOfDataset(dataset)) if (await isEditor(project)) return project;
  if (!isRoleAtLeast(organizationRoles, principal.organizationRole, 'user')) {
    throw new Fault('forbidden', needsProject);
  }
  const user = await liveUser(needs.log, principal.userId);
  const name = `Scorer validations of ${user?.email ?? principal.userId}`.slice(0, nameMax);
  const own = await ensureOwnProject(needs, principal, name, cause);
  // A key may have fewer rights than its creator.
  if (await isEditor(own)) return own;
  throw new Fault('forbidden', needsProject);
};
const needsProject =
  'This needs the role editor in a project of the dataset, or the role user in the organisation';
/** Contract 1.3. */
const nameMax = 255;
