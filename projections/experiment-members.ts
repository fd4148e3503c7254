import { erasureEvents } from '../events/erasures.js';
import { experimentEvents } from '../events/experiments.js';
import { pickEvents, type EventOf } from '../events/schemas.js';
import { unreachable } from '../kernel/decision.js';
import type { Document } from '../kernel/documents.js';
import type { Projection } from './projection.js';

/** Group by experiment; null = in none. */
export type GroupByExperiment = Readonly<Record<string, string | null>>;

/** Number of partitions of a project's experiments, by the first two hex digits of their ids. */
export const memberPartsMax = 256;

const events = {
  ...pickEvents(
    experimentEvents,
    'ExperimentCreated',
    'ExperimentGroupAssigned',
    'ExperimentDeleted',
  ),
  ...pickEvents(erasureEvents, 'ErasureBegun', 'ErasureCompleted'),
};
type ListedEvent = EventOf<typeof events>;

/**
 * The experiments of a project and the group of each: the input of ranking. Partitioned, so that
 * one change does not cause thousands to be read again: `changed` is the position of a partition's
 * last event.
 */
export const experimentMembers: Projection<typeof events, GroupByExperiment> = {
  collection: { name: 'experiment_members', version: 1, fields: { changed: 'number' } },
  deletedWith: { scope: 'project' },
  events,
  keys: ({ data }) => {
    const run = 'run_id' in data ? data.run_id : data.deleted === 'run' ? data.deleted_id : null;
    return run === null ? [] : [`${data.project_id}/${run.slice(0, 2)}`];
  },
  evolve: (document, event, key) => ({
    key,
    scope: event.data.project_id,
    fields: { changed: Number.parseInt(event.position, 16) },
    body: membersAfter(document, event),
  }),
};

const membersAfter = (
  document: Document<GroupByExperiment> | null,
  { type, data }: ListedEvent,
): GroupByExperiment => {
  const members = { ...document?.body };
  switch (type) {
    case 'ExperimentCreated':
      return { ...members, [data.run_id]: data.group?.id ?? null };
    case 'ExperimentGroupAssigned':
      return { ...members, [data.run_id]: data.group.id };
    case 'ExperimentDeleted':
      delete members[data.run_id];
      return members;
    case 'ErasureBegun':
    case 'ErasureCompleted':
      delete members[data.deleted_id];
      return members;
    default:
      return unreachable(type);
  }
};
