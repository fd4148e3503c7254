import { valueComplaint } from '../../kernel/fault.js';
import type { ExperimentTag } from '../../contract/experiment-record.js';
import type {
  ExperimentCreated,
  ExperimentEvent,
  ExperimentGroup,
} from '../../events/experiments.js';
import type { LogStreamEvent } from '../../events/log-streams.js';
import { reject, unreachable, type Decide, type Rejection } from '../../kernel/decision.js';
import type {
  DatasetId,
  Instant,
  ProjectId,
  RunId,
  TagId,
  UserId,
} from '../../kernel/schema-types.js';

/** State of an experiment for decisions; null for other runs. */
export type Experiment = {
  readonly projectId: ProjectId;
  readonly name: string;
  readonly taskType: number;
  readonly dataset: DatasetId | null;
  readonly group: ExperimentGroup | null;
  readonly live: boolean;
  /** Tags in the order of their creation. */
  readonly tags: ReadonlyMap<TagId, ExperimentTag>;
};
type State = Experiment | null;

/** Fold of a run's stream; null unless the run is an experiment. */
export const experiments: { initial: State; evolve: (state: State, event: RunEvent) => State } = {
  initial: null,
  evolve: (experiment, { type, data }) => {
    switch (type) {
      case 'ExperimentCreated':
        return {
          projectId: data.project_id,
          name: data.name,
          taskType: data.task_type,
          dataset: data.dataset?.dataset_id ?? null,
          group: data.group,
          live: true,
          tags: new Map(),
        };
      case 'ExperimentRenamed':
        return (
          experiment && {
            ...experiment,
            name: data.name,
            taskType: data.task_type ?? experiment.taskType,
          }
        );
      case 'ExperimentGroupAssigned':
        return experiment && { ...experiment, group: data.group };
      case 'ExperimentDeleted':
        return experiment && { ...experiment, live: false };
      case 'ExperimentTagged':
      case 'ExperimentTagChanged':
        return experiment && { ...experiment, tags: tagsWith(experiment.tags, { type, data }) };
      case 'ExperimentUntagged':
        return (
          experiment && {
            ...experiment,
            tags: new Map([...experiment.tags].filter(([id]) => id !== data.tag_id)),
          }
        );
      case 'LogStreamCreated':
      case 'LogStreamRenamed':
      case 'LogStreamDeleted':
        return experiment;
      default:
        return unreachable(type);
    }
  },
};
type RunEvent = ExperimentEvent | LogStreamEvent;
type TagEvent = Extract<ExperimentEvent, { type: 'ExperimentTagged' | 'ExperimentTagChanged' }>;

const tagsWith = (
  tags: Experiment['tags'],
  { type, data }: { readonly type: TagEvent['type']; readonly data: TagEvent['data'] },
): Experiment['tags'] => {
  const { tag_id: id, key, value, tag_type, project_id, run_id } = data;
  const place = { id, key, value, tag_type, project_id, run_id };
  if (type === 'ExperimentTagged') {
    const { created_by, created_at } = data as TagAddedData;
    return new Map(tags).set(id, { ...place, created_by, created_at, updated_at: created_at });
  }
  const before = tags.get(id);
  const { changed_at: updated_at } = data as TagChangedData;
  return before === undefined ? tags : new Map(tags).set(id, { ...before, ...place, updated_at });
};
type TagAddedData = Extract<TagEvent, { type: 'ExperimentTagged' }>['data'];
type TagChangedData = Extract<TagEvent, { type: 'ExperimentTagChanged' }>['data'];

/** True if the experiment is live and in this project. */
export const isLive = (experiment: State, project: ProjectId): experiment is Experiment =>
  experiment !== null && experiment.live && experiment.projectId === project;

const experimentNotFound = (): Rejection => reject('not-found', 'Experiment not found');

export const create =
  (created: ExperimentCreated): Decide<State, ExperimentEvent> =>
  (experiment) =>
    experiment !== null ? [] : [{ type: 'ExperimentCreated', data: created }];

type Change = {
  readonly name: string;
  /** Null: unchanged, as is a null group. */
  readonly taskType: number | null;
  readonly group: ExperimentGroup | null;
};

export const change =
  (id: RunId, project: ProjectId, wanted: Change): Decide<State, ExperimentEvent> =>
  (experiment) => {
    if (!isLive(experiment, project)) return experimentNotFound();
    const place = { run_id: id, project_id: project };
    const taskType = wanted.taskType ?? experiment.taskType;
    const isOtherTask = taskType !== experiment.taskType;
    const events: ExperimentEvent[] = [];
    if (wanted.name !== experiment.name || isOtherTask) {
      const named = { ...place, name: wanted.name, ...(isOtherTask && { task_type: taskType }) };
      events.push({ type: 'ExperimentRenamed', data: named });
    }
    if (wanted.group !== null && wanted.group.id !== experiment.group?.id) {
      const data = { ...place, group: wanted.group };
      events.push({ type: 'ExperimentGroupAssigned', data });
    }
    return events;
  };

export const remove =
  (id: RunId, project: ProjectId): Decide<State, ExperimentEvent> =>
  (experiment) =>
    isLive(experiment, project)
      ? [{ type: 'ExperimentDeleted', data: { run_id: id, project_id: project } }]
      : [];

type TagContent = Pick<ExperimentTag, 'key' | 'value' | 'tag_type'>;
type TagRequest = {
  readonly run: RunId;
  readonly project: ProjectId;
  readonly tag: TagId;
  readonly at: Instant;
};

/** Limit as for records (contract 1.11): tags are part of each experiment answer. */
export const tagsMax = 100;

export const tag =
  (
    { run, project, tag: id, at }: TagRequest,
    content: TagContent,
    createdBy: UserId,
  ): Decide<State, ExperimentEvent> =>
  (experiment) => {
    if (!isLive(experiment, project)) return experimentNotFound();
    if (experiment.tags.has(id)) return [];
    if (experiment.tags.size >= tagsMax) {
      const sentence = `an experiment has at most ${tagsMax} tags`;
      return reject('invalid', 'Too many tags', {
        complaints: [valueComplaint(['body'], sentence)],
      });
    }
    const place = { run_id: run, project_id: project, tag_id: id };
    const data = { ...place, ...content, created_by: createdBy, created_at: at };
    return [{ type: 'ExperimentTagged', data }];
  };

export const changeTag =
  (
    { run, project, tag: id, at }: TagRequest,
    { key, value, tag_type }: TagContent,
  ): Decide<State, ExperimentEvent> =>
  (experiment) => {
    if (!isLive(experiment, project)) return experimentNotFound();
    const before = experiment.tags.get(id);
    if (before === undefined) return reject('not-found', 'Tag not found');
    if (before.key === key && before.value === value && before.tag_type === tag_type) return [];
    const place = { run_id: run, project_id: project, tag_id: id };
    return [
      { type: 'ExperimentTagChanged', data: { ...place, key, value, tag_type, changed_at: at } },
    ];
  };

export const untag =
  (run: RunId, project: ProjectId, id: TagId): Decide<State, ExperimentEvent> =>
  (experiment) =>
    isLive(experiment, project) && experiment.tags.has(id)
      ? [
          {
            type: 'ExperimentUntagged',
            data: { run_id: run, project_id: project, tag_id: id },
          },
        ]
      : [];
