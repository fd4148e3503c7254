import { throwIfAborted } from '../kernel/query-context.js';
import type { Limiter } from '../kernel/limiter.js';
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
  currentContext: CurrentQueryContext,
): Documents => ({
  checkpoint: (collection) => documents.checkpoint(collection),
  get: (collection, key, context = currentContext()) => documents.get(collection, key, context),
  load: (collection, keys, context = currentContext()) => documents.load(collection, keys, context),
  find: (collection, query, context = currentContext()) =>
    documents.find(collection, query, context),
  apply: (collection, writes, checkpoint) => documents.apply(collection, writes, checkpoint),
  dump: (collection) => documents.dump(collection),
  shadow: (collection, copying) => documents.shadow(collection, copying),
  resume: (collection, id) => documents.resume(collection, id),
  durabilityWarning: () => documents.durabilityWarning(),
  close: () => documents.close(),
});

/**
 * Records whose queries carry the context of the current request. Those that may scan many records
 * wait for a slot of their project (contract 1.11); index lookups do not.
 */
export const requestScopedRecords = (
  records: Records,
  currentContext: CurrentQueryContext,
  limiter: Limiter<'project'>,
): Records => {
  const fair = withFairSlot(limiter);
  return {
    checkpoint: () => records.checkpoint(),
    prefetch: (writes) => records.prefetch(writes),
    apply: (writes, checkpoint) => records.apply(writes, checkpoint),
    firstRows: (names) => records.firstRows(names),
    spanOutlines: (names) => records.spanOutlines(names),
    rowsByOrdinal: (places) => records.rowsByOrdinal(places),
    sessionsWithTraces: (sessions) => records.sessionsWithTraces(sessions),
    traceOutlines: (session, part) => records.traceOutlines(session, part),
    rowsByGroup: (names, context = currentContext()) => records.rowsByGroup(names, context),
    groupBytes: (names, context = currentContext()) => records.groupBytes(names, context),
    tracesOfSessions: (project, sessions, tracesMax, context = currentContext()) =>
      records.tracesOfSessions(project, sessions, tracesMax, context),
    recordsWithEntry: (plan, context = currentContext()) =>
      fair(plan.project, context, () => records.recordsWithEntry(plan, context)),
    findGroup: (project, population, id, context = currentContext()) =>
      records.findGroup(project, population, id, context),
    groupRows: (plan, context = currentContext()) => records.groupRows(plan, context),
    sessionPage: (plan, context = currentContext()) => records.sessionPage(plan, context),
    metricTypes: (project, names, context = currentContext()) =>
      records.metricTypes(project, names, context),
    changedRuns: (project, token) => records.changedRuns(project, token),
    search: (plan, context = currentContext()) =>
      fair(plan.project, context, () => records.search(plan, context)),
    cursorOf: (plan, id, context = currentContext()) =>
      fair(plan.project, context, () => records.cursorOf(plan, id, context)),
    count: (plan, context = currentContext()) =>
      fair(plan.project, context, () => records.count(plan, context)),
    aggregate: (plan, context = currentContext()) =>
      fair(plan.project, context, () => records.aggregate(plan, context)),
    columns: (plan, context = currentContext()) =>
      fair(plan.project, context, () => records.columns(plan, context)),
    runCounts: (project, runs, context = currentContext()) =>
      fair(project, context, () => records.runCounts(project, runs, context)),
    ratings: (project, runs, context = currentContext()) =>
      fair(project, context, () => records.ratings(project, runs, context)),
    runMeasures: (project, runs, context = currentContext()) =>
      fair(project, context, () => records.runMeasures(project, runs, context)),
    runAverages: (project, metrics, runs, context = currentContext()) =>
      fair(project, context, () => records.runAverages(project, metrics, runs, context)),
    runRows: (plan, context = currentContext()) =>
      fair(plan.project, context, () => records.runRows(plan, context)),
    dump: () => records.dump(),
    shadow: (copying) => records.shadow(copying),
    resume: (id) => records.resume(id),
    close: () => records.close(),
  };
};

/** Answers made of records, scoped and scheduled like requestScopedRecords. */
export const requestScopedAnswers = (
  answers: RecordAnswers,
  currentContext: CurrentQueryContext,
  limiter: Limiter<'project'>,
): RecordAnswers => {
  const fair = withFairSlot(limiter);
  return {
    search: (plan, shown, context = currentContext()) =>
      fair(plan.project, context, () => answers.search(plan, shown, context)),
    stretch: (plan, shown, context = currentContext()) =>
      fair(plan.project, context, () => answers.stretch(plan, shown, context)),
    metrics: (plan, context = currentContext()) =>
      fair(plan.project, context, () => answers.metrics(plan, context)),
    comparison: (plan, context = currentContext()) =>
      fair(plan.project, context, () => answers.comparison(plan, context)),
    record: (plan, templates, context = currentContext()) =>
      answers.record(plan, templates, context),
    session: (session, templates, context = currentContext()) =>
      answers.session(session, templates, context),
  };
};

const withFairSlot =
  (limiter: Limiter<'project'>) =>
  <T>(project: string, context: QueryContext, query: () => Promise<T>): Promise<T> =>
    limiter.run({ project }, context, query);
