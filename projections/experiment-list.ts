import { newExperiment, type ExperimentFacts } from '../contract/experiment-record.js';
import { experimentEvents, experimentScopeEvents } from '../events/experiments.js';
import { omitEvents, type EventOf } from '../events/schemas.js';
import { unreachable } from '../kernel/decision.js';
import type { Document } from '../kernel/documents.js';
import type { Instant } from '../kernel/schema-types.js';
import type { Projection } from './projection.js';

const events = {
  ...experimentEvents,
  ...omitEvents(experimentScopeEvents, 'ExperimentGroupCreated'),
};
type ListedEvent = EventOf<typeof events>;

/** Live experiments by id, in the scope of their project. */
export const experimentList: Projection<typeof events, ExperimentFacts> = {
  collection: {
    name: 'experiment_list',
    version: 1,
    fields: {
      id: 'id',
      name: 'text',
      created_by: 'id',
      created_at: 'date',
      updated_at: 'date',
      experiment_group_id: 'id',
      experiment_group_name: 'text',
    },
  },
  deletedWith: { scope: 'project', key: 'run' },
  events,
  keys: ({ data }) => [data.run_id],
  evolve: (document, event) => {
    const { type, data } = event;
    if (type === 'ExperimentCreated') return documentOf(newExperiment(data));
    if (document === null || type === 'ExperimentDeleted') return null;
    const { body } = document;
    return documentOf({ ...body, ...factsChange(body, event), updated_at: event.metadata.at });
  },
};

type Change = Exclude<ListedEvent, { readonly type: 'ExperimentCreated' | 'ExperimentDeleted' }>;

const factsChange = (facts: ExperimentFacts, { type, data }: Change): Partial<ExperimentFacts> => {
  switch (type) {
    case 'ExperimentRenamed':
      return { name: data.name, task_type: data.task_type ?? facts.task_type };
    case 'ExperimentGroupAssigned':
      return { group: data.group };
    case 'ExperimentTagged': {
      const { key, value, tag_type, project_id, run_id, created_by, created_at } = data;
      const times = { created_at, updated_at: created_at };
      const given = { key, value, tag_type, project_id, run_id, created_by, ...times };
      const others = facts.tags.filter(({ id }) => id !== data.tag_id);
      return { tags: [...others, { id: data.tag_id, ...given }] };
    }
    case 'ExperimentTagChanged': {
      const { key, value, tag_type } = data;
      const updated_at: Instant = data.changed_at;
      return {
        tags: facts.tags.map((tag) =>
          tag.id === data.tag_id ? { ...tag, key, value, tag_type, updated_at } : tag,
        ),
      };
    }
    case 'ExperimentUntagged':
      return { tags: facts.tags.filter(({ id }) => id !== data.tag_id) };
    case 'ExperimentWinnerChosen':
    case 'ExperimentWinnerWithdrawn':
      return {};
    default:
      return unreachable(type);
  }
};

const documentOf = (facts: ExperimentFacts): Document<ExperimentFacts> => ({
  key: facts.id,
  scope: facts.project_id,
  fields: {
    id: facts.id,
    name: facts.name,
    created_by: facts.created_by,
    created_at: facts.created_at,
    updated_at: facts.updated_at,
    experiment_group_id: facts.group?.id ?? null,
    experiment_group_name: facts.group?.name ?? null,
  },
  body: facts,
});
