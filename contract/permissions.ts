import { atLeast, projectRoles, type ProjectRole } from './roles.js';

export type Permission = {
  readonly action: string;
  readonly allowed: boolean;
  readonly message: string | null;
};

/**
 * Actions on a project in the order of contract 3.10, each with the role it needs (contract 2.6,
 * 6).
 */
const projectActions: readonly (readonly [string, ProjectRole])[] = [
  ['update', 'owner'],
  ['delete', 'owner'],
  ['rename', 'owner'],
  ['share', 'owner'],
  ['create_run', 'editor'],
  ['delete_run', 'owner'],
  ['rename_run', 'editor'],
  ['export_data', 'viewer'],
  ['configure_human_feedback', 'editor'],
  ['record_human_feedback', 'annotator'],
  ['log_data', 'editor'],
  ['delete_data', 'owner'],
];

export const permitted = (action: string, allowed: boolean, otherwise: string): Permission => ({
  action,
  allowed,
  message: allowed ? null : otherwise,
});

/** What a caller of this role may do with the project. */
export const projectPermissions = (role: ProjectRole): readonly Permission[] =>
  projectActions.map(([action, needed]) =>
    permitted(action, atLeast(projectRoles, role, needed), `Needs the role ${needed}`),
  );
