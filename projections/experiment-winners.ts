import { experimentScopeEvents } from '../events/experiments.js';
import { omitEvents } from '../events/schemas.js';
import type { Projection } from './projection.js';

const events = omitEvents(experimentScopeEvents, 'ExperimentGroupCreated');

/**
 * The experiment chosen last in a group, or among a project's ungrouped experiments, where the key
 * is the project. It counts while it is alive and still there.
 */
export const experimentWinners: Projection<typeof events, { readonly run_id: string }> = {
  collection: { name: 'experiment_winners', version: 1, fields: {} },
  deletedWith: { scope: 'project' },
  projectState: { member: 'winner', show: (body) => body?.run_id ?? null },
  events,
  keys: ({ data }) => [data.group_id ?? data.project_id],
  evolve: (document, { type, data }, key) => {
    if (type === 'ExperimentWinnerWithdrawn') {
      return document?.body.run_id === data.run_id ? null : document;
    }
    return { key, scope: data.project_id, fields: {}, body: { run_id: data.run_id } };
  },
};
