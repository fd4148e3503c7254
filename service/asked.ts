import { checkAsked } from '../kernel/asking.js';
import type { FairLine } from '../kernel/fair.js';
import type { Asking, EventLog } from '../kernel/ports.js';
import type { Documents } from '../kernel/documents.js';
import type { Records } from '../kernel/records/records.js';
import type { RecordAnswers } from '../query-api/records/answers.js';

/** For whom something is asked now; empty: for nobody who could go away. */
type CurrentAsking = () => Asking;

/**
 * The log for requests until `signal` says that there are to be none: a handler at a long work ends
 * at its next question then.
 */
export const logUntil = (log: EventLog, signal: AbortSignal): EventLog => {
  const now = (): EventLog => {
    checkAsked({ signal });
    return log;
  };
  return {
    ...log,
    append: async (batch) => now().append(batch),
    read: async (stream, reading) => now().read(stream, reading),
    portions: (stream, reading) => now().portions(stream, reading),
    last: async (stream) => now().last(stream),
    knownEnd: (stream) => now().knownEnd(stream),
    page: async (...asked) => now().page(...asked),
    streams: async (prefix, from, limit) => now().streams(prefix, from, limit),
  };
};

/** The documents, asked for whoever the request at hand is answered to. */
export const documentsFor = (documents: Documents, asker: CurrentAsking): Documents => ({
  checkpoint: (collection) => documents.checkpoint(collection),
  get: (collection, key, asking = asker()) => documents.get(collection, key, asking),
  load: (collection, keys, asking = asker()) => documents.load(collection, keys, asking),
  find: (collection, query, asking = asker()) => documents.find(collection, query, asking),
  apply: (collection, writes, checkpoint) => documents.apply(collection, writes, checkpoint),
  dump: (collection) => documents.dump(collection),
  shadow: (collection, copying) => documents.shadow(collection, copying),
  resume: (collection, id) => documents.resume(collection, id),
  caution: () => documents.caution(),
  close: () => documents.close(),
});

/**
 * The records, asked likewise. What may have to look through many of them waits for its project's
 * turn (contract 1.11); what an index finds does not.
 */
export const recordsFor = (records: Records, asker: CurrentAsking, line: FairLine): Records => {
  const fair = fairIn(line);
  return {
    checkpoint: () => records.checkpoint(),
    prepare: (writes) => records.prepare(writes),
    apply: (writes, checkpoint) => records.apply(writes, checkpoint),
    heads: (names) => records.heads(names),
    spanOutlines: (names) => records.spanOutlines(names),
    rowsAt: (places) => records.rowsAt(places),
    sessionsWithTraces: (sessions) => records.sessionsWithTraces(sessions),
    traceOutlines: (session, part) => records.traceOutlines(session, part),
    groups: (names, asking = asker()) => records.groups(names, asking),
    weights: (names, asking = asker()) => records.weights(names, asking),
    tracesOfSessions: (project, sessions, tracesMax, asking = asker()) =>
      records.tracesOfSessions(project, sessions, tracesMax, asking),
    withEntry: (plan, asking = asker()) =>
      fair(plan.project, asking, () => records.withEntry(plan, asking)),
    locate: (project, population, id, asking = asker()) =>
      records.locate(project, population, id, asking),
    groupOf: (plan, asking = asker()) => records.groupOf(plan, asking),
    sessionPage: (plan, asking = asker()) => records.sessionPage(plan, asking),
    metricTypes: (project, names, asking = asker()) => records.metricTypes(project, names, asking),
    runsChanged: (project, token) => records.runsChanged(project, token),
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

/** Answers made of records, asked likewise. */
export const answersFor = (
  answers: RecordAnswers,
  asker: CurrentAsking,
  line: FairLine,
): RecordAnswers => {
  const fair = fairIn(line);
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

const fairIn =
  (line: FairLine) =>
  async <T>(project: string, asking: Asking, ask: () => Promise<T>): Promise<T> => {
    const leave = await line.enter(project, asking);
    try {
      return await ask();
    } finally {
      leave();
    }
  };
