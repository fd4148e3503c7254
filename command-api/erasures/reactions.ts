import type { ErasureEvent } from '../../events/erasures.js';
import type { ExperimentEvent } from '../../events/experiments.js';
import type { LogStreamEvent } from '../../events/log-streams.js';
import type { ProjectEvent } from '../../events/projects.js';
import type { Decision, Fold } from '../../kernel/decision.js';
import {
  stream,
  type Clock,
  type EventLog,
  type Ids,
  type Position,
  type Recorded,
  type StreamName,
} from '../../kernel/ports.js';
import type { DatasetId, ProjectId, RunId } from '../../kernel/shapes.js';
import { load, transact, type Authorship } from '../../kernel/transact.js';
import { runStream } from '../access/streams.js';
import { inReplyTo } from '../access/service-author.js';
import { nextStreams, runsOf, walkThrough, type Walk } from './walk.js';

type DeletionEvent = Extract<
  LogStreamEvent | ExperimentEvent | ProjectEvent,
  { readonly type: 'LogStreamDeleted' | 'ExperimentDeleted' | 'ProjectDeleted' }
>;
const deletionTypes: readonly DeletionEvent['type'][] = [
  'LogStreamDeleted',
  'ExperimentDeleted',
  'ProjectDeleted',
];

/** How much of the log one step looks through: a few milliseconds. */
const stepEvents = 2_000;

/**
 * A write that found the run alive may land after the deletion, as long as a request lasts. So all
 * is visited again when none can be under way any more; only then the erasure is complete.
 */
export const lateWritesSeconds = 60;

export type ErasureNeeds = {
  readonly log: EventLog;
  readonly clock: Pick<Clock, 'now' | 'milliseconds'>;
  readonly ids: Pick<Ids, 'derive'>;
  /**
   * Up to where deletions need not be looked for. `start` is always right and costs a look through
   * the log.
   */
  readonly after: Position;
};

export type RunErasureNeeds = ErasureNeeds & {
  /**
   * Takes the link of an experiment to its dataset back, if it still is there. The request that
   * deleted the experiment did so, unless its process died in between.
   */
  readonly unlinkDataset: (
    use: { readonly dataset: DatasetId; readonly project: ProjectId; readonly run: RunId },
    authorship: Authorship,
  ) => Promise<unknown>;
};

export type Erasures = {
  /**
   * One bounded piece of work; false when there is none left for now. Throws what the log throws:
   * call again.
   */
  step(): Promise<boolean>;
  /** All deletions up to here are done with: what `after` may be next time. */
  bookmark(): Position;
};

type Deletion = {
  readonly kind: 'run' | 'project';
  readonly id: string;
  readonly project: string;
  readonly event: Recorded;
  /** A bookmark before the event. */
  readonly before: Position;
  readonly erased: number;
  /** By the clock for measuring. */
  readonly seenMs: number;
  /** Whether all streams were visited once already, before late writes must have ended. */
  readonly isVisited: boolean;
};

/**
 * The reaction to the deletion of a run or a project: erases the traces and sessions that were
 * in it. Reads the log alone and no read model. One walk through the streams of a project serves
 * all its deletions that are known when it begins. A kill loses nothing: what is not recorded as
 * complete is visited again from the bookmark on, and erasing twice is erasing once.
 */
export const openErasures = (needs: RunErasureNeeds): Erasures => {
  const { log, clock, after } = needs;
  const pending = new Map<string, Deletion>();
  let position = after;
  let walk: Walk | null = null;

  const look = async (): Promise<boolean> => {
    const page = await log.page(position, stepEvents, deletionTypes);
    for (const event of page.events) {
      const found = event as Recorded<DeletionEvent>;
      const deletion = deletionOf(found, position, clock.milliseconds());
      const done = await load(log, erasureStream(deletion.id), erasures);
      if (!done.state) pending.set(deletion.id, deletion);
    }
    const moved = page.through > position;
    position = page.through;
    return moved;
  };
  /** No write that began before the deletion can be under way any more. */
  const isLate = ({ event, seenMs }: Deletion): boolean => {
    const age = Date.parse(clock.now()) - Date.parse(event.metadata.at);
    // Where the clock was set back, the time since it was seen counts.
    return Math.max(age, clock.milliseconds() - seenMs) >= lateWritesSeconds * 1_000;
  };
  const begin = (): Walk | null => {
    const due = [...pending.values()].filter((one) => !one.isVisited || isLate(one));
    const [first] = due;
    if (first === undefined) return null;
    const { project } = first;
    const deletions = due.filter((one) => one.project === project);
    return walkThrough(project, new Map(deletions.map((one) => [one.id, isLate(one)])));
  };
  const visit = async ({ deletions, ...under }: Walk): Promise<Walk | null> => {
    const { found, rest } = await nextStreams(log, under);
    const wholeProject = [...deletions.keys()].find((id) => pending.get(id)?.kind === 'project');
    const owners =
      wholeProject === undefined ? await runsOf(log, found) : found.map(() => wholeProject);
    const matching = found.filter((_, at) => deletions.has(owners[at] ?? ''));
    await Promise.all(matching.map((one) => log.erase(one)));
    for (const id of owners) {
      const deletion = deletions.has(id ?? '') ? pending.get(id ?? '') : undefined;
      if (deletion !== undefined) {
        pending.set(deletion.id, { ...deletion, erased: deletion.erased + 1 });
      }
    }
    return rest === null ? null : { ...rest, deletions };
  };
  const conclude = async ({ deletions }: Walk): Promise<void> => {
    for (const [id, wasLate] of deletions) {
      const deletion = pending.get(id);
      if (deletion === undefined) continue;
      if (wasLate) {
        await complete(needs, deletion);
        pending.delete(id);
      } else pending.set(id, { ...deletion, isVisited: true });
    }
  };

  return {
    step: async () => {
      if (walk === null && (await look())) return true;
      const present: Walk | null = walk ?? begin();
      if (present === null) return false;
      const rest = await visit(present);
      if (rest === null) await conclude(present);
      walk = rest;
      return true;
    },
    bookmark: () =>
      [...pending.values()].reduce((low, { before }) => (before < low ? before : low), position),
  };
};

const deletionOf = (event: Recorded<DeletionEvent>, before: Position, seenMs: number): Deletion => {
  const { type, data } = event;
  const place = { project: data.project_id, event, before, erased: 0, seenMs, isVisited: false };
  return type === 'ProjectDeleted'
    ? { kind: 'project', id: data.project_id, ...place }
    : { kind: 'run', id: data.run_id, ...place };
};

const erasureStream = (id: string): StreamName => stream('erasure', id);

/** Whether it is complete. */
const erasures: Fold<boolean, ErasureEvent> = { initial: false, evolve: () => true };

const complete = async (
  { log, ids, clock, unlinkDataset }: RunErasureNeeds,
  { kind, id, project, erased, event }: Deletion,
): Promise<void> => {
  const authorship = inReplyTo({ clock, ids }, event);
  const used = kind === 'run' ? await datasetOf(log, id) : null;
  if (used !== null) await unlinkDataset(used, authorship);
  await transact(
    log,
    erasureStream(id),
    erasures,
    (isComplete): Decision<ErasureEvent> =>
      isComplete
        ? []
        : [
            {
              type: 'ErasureCompleted',
              data: {
                deleted: kind,
                deleted_id: id,
                project_id: project as ErasureEvent['data']['project_id'],
                streams: erased,
              },
            },
          ],
    authorship,
  );
};

/** What an experiment was created with; null for a run without a dataset. */
const datasetOf = async (
  log: EventLog,
  run: string,
): Promise<Parameters<RunErasureNeeds['unlinkDataset']>[0] | null> => {
  const [first] = await log.read(runStream(run), { limit: 1 });
  if (first?.type !== 'ExperimentCreated') return null;
  const { data } = first as unknown as Extract<ExperimentEvent, { type: 'ExperimentCreated' }>;
  const { dataset, project_id: project, run_id } = data;
  return dataset === null ? null : { dataset: dataset.dataset_id, project, run: run_id };
};
