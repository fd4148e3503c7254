import type { ErasureEvent } from '../../events/erasures.js';
import type { ExperimentEvent } from '../../events/experiments.js';
import type { LogStreamEvent } from '../../events/log-streams.js';
import type { ProjectEvent } from '../../events/projects.js';
import type { SessionStarted, TraceLogged } from '../../events/traces.js';
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

type DeletionEvent = Extract<
  LogStreamEvent | ExperimentEvent | ProjectEvent,
  { readonly type: 'LogStreamDeleted' | 'ExperimentDeleted' | 'ProjectDeleted' }
>;
const deletionTypes: readonly DeletionEvent['type'][] = [
  'LogStreamDeleted',
  'ExperimentDeleted',
  'ProjectDeleted',
];

/**
 * How much of the log one step looks through, and how many streams it visits: a few milliseconds
 * each.
 */
const stepEvents = 2_000;
const stepStreams = 100;

/**
 * A write that found the run alive may land after the deletion, as long as a request lasts. So all
 * is visited again when none can be under way any more; only then the erasure is complete.
 */
export const lateWritesSeconds = 60;

export type ErasureNeeds = {
  readonly log: EventLog;
  readonly clock: Pick<Clock, 'now'>;
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
  readonly pass: Pass | null;
};
/**
 * A visit of all streams that records of the project may have; `isLast`: no write can come after
 * it.
 */
type Pass = {
  readonly isLast: boolean;
  readonly prefixes: readonly string[];
  readonly visited: StreamName | null;
};

/**
 * The reaction to the deletion of a run or a project: erases the traces and sessions that were
 * in it. Reads the log alone and no read model. A kill loses nothing: what is not recorded as
 * complete is visited again from the bookmark on, and erasing twice is erasing once.
 */
export const openErasures = (needs: RunErasureNeeds): Erasures => {
  const { log, clock, after } = needs;
  const pending = new Map<string, Deletion>();
  let position = after;

  const look = async (): Promise<boolean> => {
    const page = await log.page(position, stepEvents, deletionTypes);
    for (const event of page.events) {
      const found = event as Recorded<DeletionEvent>;
      const deletion = deletionOf(found, position, isLate(found));
      const done = await load(log, erasureStream(deletion.id), erasures);
      if (!done.state) pending.set(deletion.id, deletion);
    }
    const moved = page.through > position;
    position = page.through;
    return moved;
  };
  const visit = async (deletion: Deletion, pass: Pass): Promise<void> => {
    const [prefix = '', ...others] = pass.prefixes;
    const found = await log.streams(prefix, pass.visited, stepStreams);
    const matching = await keep(found, (one) => belongs(log, one, deletion));
    await Promise.all(matching.map((one) => log.erase(one)));
    const erased = deletion.erased + matching.length;
    const last = found.at(-1);
    const rest: Pass =
      last !== undefined && found.length === stepStreams
        ? { ...pass, visited: last }
        : { ...pass, prefixes: others, visited: null };
    if (rest.prefixes.length > 0) pending.set(deletion.id, { ...deletion, erased, pass: rest });
    else if (!pass.isLast) pending.set(deletion.id, { ...deletion, erased, pass: null });
    else {
      await complete(needs, { ...deletion, erased });
      pending.delete(deletion.id);
    }
  };
  /** No write that began before the deletion can be under way any more. */
  const isLate = (event: Recorded): boolean =>
    Date.parse(clock.now()) - Date.parse(event.metadata.at) >= lateWritesSeconds * 1_000;

  return {
    step: async () => {
      for (const deletion of pending.values()) {
        if (deletion.pass === null) continue;
        await visit(deletion, deletion.pass);
        return true;
      }
      if (await look()) return true;
      for (const deletion of pending.values()) {
        if (!isLate(deletion.event)) continue;
        pending.set(deletion.id, { ...deletion, pass: passOver(deletion.project, true) });
        return true;
      }
      return false;
    },
    bookmark: () =>
      [...pending.values()].reduce((low, { before }) => (before < low ? before : low), position),
  };
};

const passOver = (project: string, isLast: boolean): Pass => ({
  isLast,
  prefixes: ['trace', 'session'].map((noun) => `${stream(noun, project)}-`),
  visited: null,
});

const deletionOf = (
  event: Recorded<DeletionEvent>,
  before: Position,
  isLast: boolean,
): Deletion => {
  const { type, data } = event;
  const project = data.project_id;
  const place = { project, event, before, erased: 0, pass: passOver(project, isLast) };
  return type === 'ProjectDeleted'
    ? { kind: 'project', id: project, ...place }
    : { kind: 'run', id: data.run_id, ...place };
};

/** All streams of a deleted project, and those whose first event names the deleted run. */
const belongs = async (log: EventLog, name: StreamName, deletion: Deletion): Promise<boolean> => {
  if (deletion.kind === 'project') return true;
  const [first] = await log.read(name);
  return (first?.data as TraceLogged | SessionStarted | undefined)?.run_id === deletion.id;
};

const keep = async <T>(
  items: readonly T[],
  isKept: (item: T) => Promise<boolean>,
): Promise<readonly T[]> => {
  const kept = await Promise.all(items.map(isKept));
  return items.filter((_, index) => kept[index] === true);
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
