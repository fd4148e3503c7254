import type { ErasureBegun, ErasureEvent } from '../../events/erasures.js';
import type { ExperimentEvent } from '../../events/experiments.js';
import type { LogStreamEvent } from '../../events/log-streams.js';
import type { ProjectEvent } from '../../events/projects.js';
import type { Decide, Fold } from '../../kernel/decision.js';
import {
  type Clock,
  type EventLog,
  type Ids,
  type Position,
  type StoredEvent,
  type StreamName,
} from '../../kernel/ports.js';
import type { DatasetId, Instant, ProjectId, RunId } from '../../kernel/schema-types.js';
import {
  catchUpState,
  emptyStreamState,
  transact,
  type Authorship,
} from '../../kernel/transact.js';
import { lastErasureEventFold, erasureStream, recordErasedStreams } from '../facts/erasures.js';
import { runStream } from '../facts/runs.js';
import { projectStream } from '../facts/projects.js';
import { reactionAuthorship } from '../work/service-authorship.js';
import { streamsNamedAfter, type DeletedContainer } from './stream-prefixes.js';
import { nextScanStep, startStreamScan, type OwnedStream, type StreamScan } from './stream-scan.js';

type DeletionEvent = Extract<
  LogStreamEvent | ExperimentEvent | ProjectEvent,
  { readonly type: 'LogStreamDeleted' | 'ExperimentDeleted' | 'ProjectDeleted' }
>;
type BegunEvent = Extract<ErasureEvent, { readonly type: 'ErasureBegun' }>;
/** `ErasureBegun` stands in for a deletion event that was erased itself. */
const deletionTypes: readonly (DeletionEvent | BegunEvent)['type'][] = [
  'LogStreamDeleted',
  'ExperimentDeleted',
  'ProjectDeleted',
  'ErasureBegun',
];

/** Events of the log scanned in one step: a few milliseconds. */
const stepEvents = 2_000;

/**
 * Grace period for late writes: a write that saw the run alive may land after the deletion, within
 * the duration of a request. A second pass after this period completes the erasure.
 */
export const lateWritesSeconds = 60;

export type ErasureNeeds = {
  readonly log: EventLog;
  readonly clock: Pick<Clock, 'now' | 'milliseconds'>;
  readonly ids: Pick<Ids, 'derive'>;
  /**
   * Position from which to search for deletions. `logStart` is always correct and costs a scan of
   * the log.
   */
  readonly after: Position;
};

export type RunErasureNeeds = ErasureNeeds & {
  /**
   * Removes the link of an experiment to its dataset, if still present. The request that deleted
   * the experiment has removed it unless its process died before.
   */
  readonly unlinkDataset: (
    use: { readonly dataset: DatasetId; readonly project: ProjectId; readonly run: RunId },
    authorship: Authorship,
  ) => Promise<unknown>;
};

export type ErasureProcess = {
  /** Runs one bounded step; false when idle. Throws what the log throws: call again. */
  step(): Promise<boolean>;
  /** Times of the known deletions that are not complete. */
  pending(): readonly Instant[];
  /** Cursor: all deletions up to here are complete; the next `after`. */
  cursor(): Position;
};

type Deletion = DeletedContainer & {
  readonly deletion: ErasureBegun['deletion'];
  /** The deletion event, or the `ErasureBegun` that stands in for an erased one. */
  readonly event: StoredEvent;
  /** Cursor before the event. */
  readonly before: Position;
  readonly erased: number;
  /** Monotonic time at which the deletion was seen. */
  readonly seenMs: number;
  /** True if all streams were visited once, before the grace period for late writes ended. */
  readonly isVisited: boolean;
};

/**
 * Process manager of run and project deletions: records that the erasure began, names all contents
 * in facts, erases them, and last the run or project itself. Reads the log only, never a read
 * model. One scan serves all deletions of projects known when it begins, or all of runs of one
 * project. Idempotent: after a kill, what is not recorded as complete is visited again from the
 * cursor.
 */
export const openRunErasures = (needs: RunErasureNeeds): ErasureProcess => {
  const { log, clock, after } = needs;
  const pending: Pending = new Map();
  let position = after;
  let scan: StreamScan | null = null;

  const findDeletions = async (): Promise<boolean> => {
    const page = await log.page(position, stepEvents, deletionTypes);
    for (const event of page.events) {
      const found = deletionOf(event as StoredEvent<DeletionEvent | BegunEvent>);
      if (pending.has(found.id)) continue;
      const state = await loadProgress(log, found.id);
      if (state === 'complete') continue;
      const seenMs = clock.milliseconds();
      const deletion = { ...found, event, before: position, erased: 0, seenMs, isVisited: false };
      if (state === 'none') await beginErasure(needs, deletion);
      pending.set(found.id, deletion);
    }
    const moved = page.through > position;
    position = page.through;
    return moved;
  };
  const visit = async (present: StreamScan): Promise<StreamScan | null> => {
    const next = await nextScanStep(log, present);
    if (next === null) return null;
    const { piece, rest } = next;
    if (piece !== null && 'name' in piece) await recordAllErased(needs, pending, piece.name);
    if (piece !== null && 'erase' in piece) await eraseAll(log, pending, piece.erase);
    return rest;
  };
  /**
   * Ends a scan: erases the streams named after the deleted id, then marks or completes the
   * deletion.
   */
  const conclude = async ({ deletions }: StreamScan): Promise<void> => {
    for (const [id, wasLate] of deletions) {
      const deletion = pending.get(id);
      if (deletion === undefined) continue;
      const last = streamsNamedAfter(deletion);
      // At the second pass they are recorded already.
      if (!deletion.isVisited) {
        await recordErased(needs, deletion, last);
      }
      for (const one of last) await log.erase(one);
      if (wasLate) {
        await completeErasure(needs, deletion);
        pending.delete(id);
      } else pending.set(id, { ...deletion, isVisited: true });
    }
  };

  return {
    step: async () => {
      if (scan === null && (await findDeletions())) return true;
      const present: StreamScan | null = scan ?? startDueScan([...pending.values()], clock);
      if (present === null) return false;
      const rest = await visit(present);
      if (rest === null) await conclude(present);
      scan = rest;
      return true;
    },
    pending: () => [...pending.values()].map(({ event }) => event.metadata.at),
    cursor: () =>
      [...pending.values()].reduce((low, { before }) => (before < low ? before : low), position),
  };
};

type Pending = Map<string, Deletion>;

/** Records the streams as erased, grouped by deletion. */
const recordAllErased = async (
  needs: RunErasureNeeds,
  pending: Pending,
  streams: readonly OwnedStream[],
): Promise<void> => {
  for (const id of new Set(streams.map(({ owner }) => owner))) {
    const deletion = pending.get(id);
    if (deletion === undefined) continue;
    const names = streams.filter(({ owner }) => owner === id).map(({ name }) => name);
    await recordErased(needs, deletion, names);
  }
};

const recordErased = (
  needs: RunErasureNeeds,
  { kind, id, project, event }: Deletion,
  streams: readonly StreamName[],
): Promise<void> => {
  const of = { deleted: kind, deleted_id: id, project_id: project as ProjectId };
  return recordErasedStreams(
    needs.log,
    erasureStream(id),
    of,
    streams,
    reactionAuthorship(needs, event),
  );
};

const eraseAll = async (
  log: EventLog,
  pending: Pending,
  streams: readonly OwnedStream[],
): Promise<void> => {
  await Promise.all(streams.map(({ name }) => log.erase(name)));
  for (const { owner } of streams) {
    const deletion = pending.get(owner);
    if (deletion === undefined) continue;
    pending.set(owner, { ...deletion, erased: deletion.erased + 1 });
  }
};

/** Starts a scan for the deletions that need one; null when none does. */
const startDueScan = (
  pending: readonly Deletion[],
  clock: ErasureNeeds['clock'],
): StreamScan | null => {
  const ready = pending.filter(
    (one) => !one.isVisited || isPastLateWrites(one.deletion.at, one.seenMs, clock),
  );
  const [first] = ready;
  if (first === undefined) return null;
  const projects = ready.filter(({ kind }) => kind === 'project');
  const runs = ready.filter(({ kind, project }) => kind === 'run' && project === first.project);
  const deleted = projects.length > 0 ? projects : runs;
  return startStreamScan(
    deleted,
    new Map(deleted.map((one) => [one.id, isPastLateWrites(one.deletion.at, one.seenMs, clock)])),
  );
};

/** True if no write that began before the deletion can still be in flight. */
export const isPastLateWrites = (
  at: string,
  seenMs: number,
  clock: ErasureNeeds['clock'],
): boolean => {
  const age = Date.parse(clock.now()) - Date.parse(at);
  // Where the clock was set back, the monotonic time since it was seen counts.
  return Math.max(age, clock.milliseconds() - seenMs) >= lateWritesSeconds * 1_000;
};

type FoundDeletion = DeletedContainer & Pick<Deletion, 'deletion'>;

const deletionOf = ({
  type,
  data,
  id,
  metadata,
}: StoredEvent<DeletionEvent | BegunEvent>): FoundDeletion => {
  if (type === 'ErasureBegun') {
    const { deleted, deleted_id, project_id, deletion } = data;
    return { kind: deleted, id: deleted_id, project: project_id, deletion };
  }
  const { actor, request_id, correlation_id, at } = metadata;
  const deletion = { event_id: id, event_type: type, actor, request_id, correlation_id, at };
  const project = data.project_id;
  return type === 'ProjectDeleted'
    ? { kind: 'project', id: project, project, deletion }
    : { kind: 'run', id: data.run_id, project, deletion };
};

/**
 * Progress of an erasure. A stream with ErasureCompleted but without ErasureBegun was written by an
 * older version, which erased only records: its erasure counts as not begun.
 */
type Progress = 'none' | 'begun' | 'complete';
const erasures: Fold<Progress, ErasureEvent> = {
  initial: 'none',
  evolve: (progress, { type }) =>
    type === 'ErasureBegun' ? 'begun' : progress === 'none' ? 'none' : 'complete',
};
const loadProgress = async (log: EventLog, id: string): Promise<Progress> => {
  const marks = ['ErasureBegun', 'ErasureCompleted'] as const;
  const { state } = await catchUpState(
    log,
    erasureStream(id),
    erasures,
    emptyStreamState(erasures),
    marks,
  );
  return state;
};

const beginErasure = async (needs: RunErasureNeeds, found: Deletion): Promise<void> => {
  const { log, unlinkDataset } = needs;
  const { kind, id, project, deletion, event } = found;
  const by = reactionAuthorship(needs, event);
  const [first] = await log.read(kind === 'run' ? runStream(id) : projectStream(id), { limit: 1 });
  const used = datasetOf(first);
  if (used !== null) await unlinkDataset(used, by);
  const made = (first?.data ?? {}) as Partial<ErasureBegun>;
  const data: ErasureBegun = {
    deleted: kind,
    deleted_id: id,
    project_id: project as ProjectId,
    organization_id: made.organization_id ?? null,
    created_by: made.created_by ?? null,
    created_at: made.created_at ?? null,
    deletion,
  };
  const decide: Decide<Progress, ErasureEvent> = (progress) =>
    progress === 'none' ? [{ type: 'ErasureBegun', data }] : [];
  await transact(log, erasureStream(id), erasures, decide, by);
};

const completeErasure = async (needs: RunErasureNeeds, deletion: Deletion): Promise<void> => {
  const { kind, id, project, erased, event } = deletion;
  const data = {
    deleted: kind,
    deleted_id: id,
    project_id: project as ProjectId,
    streams: erased,
  };
  const decide: Decide<ErasureEvent | null, ErasureEvent> = (end) =>
    end?.type === 'ErasureCompleted' ? [] : [{ type: 'ErasureCompleted', data }];
  await transact(
    needs.log,
    erasureStream(id),
    lastErasureEventFold(needs.log),
    decide,
    reactionAuthorship(needs, event),
  );
};

/** The dataset that an experiment was created with; null for other runs or without a dataset. */
const datasetOf = (
  first: StoredEvent | undefined,
): Parameters<RunErasureNeeds['unlinkDataset']>[0] | null => {
  if (first?.type !== 'ExperimentCreated') return null;
  const { data } = first as unknown as Extract<ExperimentEvent, { type: 'ExperimentCreated' }>;
  const { dataset, project_id: project, run_id } = data;
  return dataset === null ? null : { dataset: dataset.dataset_id, project, run: run_id };
};
