import { throwIfAborted } from '../kernel/query-context.js';
import type { FairSemaphore } from '../kernel/fair-semaphore.js';
import type { QueryContext, EventLog } from '../kernel/ports.js';
import type { Documents } from '../kernel/documents.js';
import type { Records } from '../kernel/records/records.js';
import type { RecordAnswers } from '../query-api/records/answers.js';

/** Context of the current request; empty outside requests. */
type CurrentQueryContext = () => QueryContext;

/** The log of request handlers until `signal` aborts: a long handler then ends at its next call. */
export const abortableLog = (log: EventLog, signal: AbortSignal): EventLog => {
  const now = (): EventLog => {
    throwIfAborted({ signal });
    return log;
  };
  return {
    ...log,
    append: async (batch) => now().append(batch),
    read: async (stream, reading) => now().read(stream, reading),
    portions: (stream, reading) => now().portions(stream, reading),
    last: async (stream) => now().last(stream),
    cachedRevision: (stream) => now().cachedRevision(stream),
    page: async (...asked) => now().page(...asked),
    streams: async (prefix, from, limit) => now().streams(prefix, from, limit),
  };
};

/** Documents whose queries carry the context of the current request. */
export const requestScopedDocuments = (
  documents: Documents,
  asker: CurrentQueryContext,
): Documents => ({
  checkpoint: (collection) => documents.checkpoint(collection),
  get: (collection, key, asking = asker()) => documents.get(collection, key, asking),
  load: (collection, keys, asking = asker()) => documents.load(collection, keys, asking),
  find: (collection, query, asking = asker()) => documents.find(collection, query, asking),
  apply: (collection, writes, checkpoint) => documents.apply(collection, writes, checkpoint),
  dump: (collection) => documents.dump(collection),
  shadow: (collection, copying) => documents.shadow(collection, copying),
  resume: (collection, id) => documents.resume(collection, id),
  durabilityWarning: () => documents.durabilityWarning(),
  close: () => documents.close(),
});

/**
 * Records whose queries carry the context of the current request. Those that may scan many records
 * wait in the fair semaphore of their project (contract 1.11); index lookups do not.
 */
export const requestScopedRecords = (
  records: Records,
  asker: CurrentQueryContext,
  line: FairSemaphore,
): Records => {
  const fair = withFairSlot(line);
  return {
    checkpoint: () => records.checkpoint(),
    prefetch: (writes) => records.prefetch(writes),
    apply: (writes, checkpoint) => records.apply(writes, checkpoint),
    firstRows: (names) => records.firstRows(names),
    spanOutlines: (names) => records.spanOutlines(names),
    rowsByOrdinal: (places) => records.rowsByOrdinal(places),
    sessionsWithTraces: (sessions) => records.sessionsWithTraces(sessions),
    traceOutlines: (session, part) => records.traceOutlines(session, part),
    rowsByGroup: (names, asking = asker()) => records.rowsByGroup(names, asking),
    groupBytes: (names, asking = asker()) => records.groupBytes(names, asking),
    tracesOfSessions: (project, sessions, tracesMax, asking = asker()) =>
      records.tracesOfSessions(project, sessions, tracesMax, asking),
    recordsWithEntry: (plan, asking = asker()) =>
      fair(plan.project, asking, () => records.recordsWithEntry(plan, asking)),
    findGroup: (project, population, id, asking = asker()) =>
      records.findGroup(project, population, id, asking),
    groupRows: (plan, asking = asker()) => records.groupRows(plan, asking),
    sessionPage: (plan, asking = asker()) => records.sessionPage(plan, asking),
    metricTypes: (project, names, asking = asker()) => records.metricTypes(project, names, asking),
    changedRuns: (project, token) => records.changedRuns(project, token),
    search: (plan, asking = asker()) =>
      fair(plan.project, asking, () => records.search(plan, asking)),
    count: (plan, asking = asker()) =>
      fair(plan.project, asking, () => records.count(plan, asking)),
    aggregate: (plan, asking = asker()) =>
      fair(plan.project, asking, () => records.aggregate(plan, asking)),
    columns: (plan, asking = asker()) =>
      fair(plan.project, asking, () => records.columns(plan, asking)),
    runCounts: (project, runs, asking = asker()) =>
      fair(project, asking, () => records.runCounts(project, runs, asking)),
    ratings: (project, runs, asking = asker()) =>
      fair(project, asking, () => records.ratings(project, runs, asking)),
    runMeasures: (project, runs, asking = asker()) =>
      fair(project, asking, () => records.runMeasures(project, runs, asking)),
    runAverages: (project, metrics, runs, asking = asker()) =>
      fair(project, asking, () => records.runAverages(project, metrics, runs, asking)),
    runRows: (plan, asking = asker()) =>
      fair(plan.project, asking, () => records.runRows(plan, asking)),
    dump: () => records.dump(),
    shadow: (copying) => records.shadow(copying),
    resume: (id) => records.resume(id),
    close: () => records.close(),
  };
};

/** Answers made of records, scoped and scheduled like requestScopedRecords. */
export const requestScopedAnswers = (
  answers: RecordAnswers,
  asker: CurrentQueryContext,
  line: FairSemaphore,
): RecordAnswers => {
  const fair = withFairSlot(line);
  return {
    search: (plan, shown, asking = asker()) =>
      fair(plan.project, asking, () => answers.search(plan, shown, asking)),
    stretch: (plan, shown, asking = asker()) =>
      fair(plan.project, asking, () => answers.stretch(plan, shown, asking)),
    metrics: (plan, asking = asker()) =>
      fair(plan.project, asking, () => answers.metrics(plan, asking)),
    comparison: (plan, asking = asker()) =>
      fair(plan.project, asking, () => answers.comparison(plan, asking)),
    record: (plan, templates, asking = asker()) => answers.record(plan, templates, asking),
    session: (session, templates, asking = asker()) => answers.session(session, templates, asking),
  };
};

const withFairSlot =
  (line: FairSemaphore) =>
  async <T>(project: string, asking: QueryContext, ask: () => Promise<T>): Promise<T> => {
    const leave = await line.acquire(project, asking);
    try {
      return await ask();
    } finally {
      leave();
    }
  };
