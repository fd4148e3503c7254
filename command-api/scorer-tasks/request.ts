import { atLeast, organizationRoles, projectRoles, type Principal } from '../../contract/roles.js';
import { validationRowsMax } from '../../contract/scorer-validation.js';
import type { ContentChanged } from '../../events/datasets.js';
import type { ScorerTaskRequest } from '../../events/scorer-tasks.js';
import { Fault, valueError } from '../../kernel/fault.js';
import type { ProjectId } from '../../kernel/shapes.js';
import type { Authorship } from '../../kernel/transact.js';
import { currentVersion, projectsOf, type Dataset } from '../facts/datasets.js';
import { ensureOwnProject } from './own-project.js';
import { liveUser } from '../facts/users.js';
import type { ScorerTaskNeeds } from './needs.js';

type RowsAsked = {
  readonly dataset_version_index?: number | null;
  readonly limit?: number | null;
  readonly starting_token?: number | null;
};
const defaultLimit = 100;

/** The rows that are meant: [starting_token, starting_token + limit) of the version, in order. */
export const rowsAsked = (
  dataset: Dataset,
  asked: RowsAsked,
): NonNullable<ScorerTaskRequest['dataset']> => {
  const version = versionAsked(dataset, asked.dataset_version_index ?? null);
  const from = asked.starting_token ?? 0;
  const limit = Math.min(asked.limit ?? defaultLimit, validationRowsMax);
  if (from >= version.num_rows) {
    const rows = `version ${version.version_index} has ${version.num_rows} rows`;
    throw valueError(['body', 'starting_token'], `no row is in range: ${rows}`);
  }
  return {
    dataset_id: dataset.id,
    version_index: version.version_index,
    starting_token: from,
    limit,
    num_rows: Math.min(limit, version.num_rows - from),
  };
};

const versionAsked = (dataset: Dataset, index: number | null): ContentChanged => {
  if (index === null) return currentVersion(dataset);
  const version = dataset.versions[index - 1];
  if (version !== undefined) return version;
  throw valueError(['body', 'dataset_version_index'], `the dataset has no version ${index}`);
};

/**
 * The project that a validation belongs to (contract 4.11, rule 3): of the bound key; else of the
 * dataset where the caller is editor; else the caller's own one for validations.
 */
export const projectFor = async (
  needs: ScorerTaskNeeds,
  principal: Principal,
  dataset: Dataset,
  cause: Authorship,
): Promise<ProjectId> => {
  const isEditor = async (id: ProjectId): Promise<boolean> => {
    const project = await needs.projectInSight(principal, id);
    return project !== null && atLeast(projectRoles, project.role, 'editor');
  };
  const bound = principal.key?.projectId ?? null;
  if (bound !== null) {
    if (await isEditor(bound)) return bound;
    throw new Fault('forbidden', 'This needs the role editor in the project of the key');
  }
  for (const project of projectsOf(dataset)) if (await isEditor(project)) return project;
  if (!atLeast(organizationRoles, principal.organizationRole, 'user')) {
    throw new Fault('forbidden', needsProject);
  }
  const user = await liveUser(needs.log, principal.userId);
  const name = `Scorer validations of ${user?.email ?? principal.userId}`.slice(0, nameMax);
  const own = await ensureOwnProject(needs, principal, name, cause);
  // A key may bring less than its creator has.
  if (await isEditor(own)) return own;
  throw new Fault('forbidden', needsProject);
};
const needsProject =
  'This needs the role editor in a project of the dataset, or the role user in the organisation';
/** Contract 1.3. */
const nameMax = 255;
