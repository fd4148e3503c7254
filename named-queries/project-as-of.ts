import { experimentScopeStream } from '../command-api/facts/experiments.js';
import type { Freshness } from '../contract/request-ports.js';
import type { AnswerMemory } from '../contract/answer-memory.js';
import type { SessionEvent, TraceEvent } from '../events/traces.js';
import { referenceFind } from '../kernel/reference-find.js';
import type { Document, Documents } from '../kernel/documents.js';
import { valueFault } from '../kernel/fault.js';
import {
  laterPosition,
  logStart,
  streamNameOf,
  type EventReader,
  type Position,
  type StoredEvent,
  type StreamName,
} from '../kernel/ports.js';
import { allTracesScope } from '../kernel/records/query-plans.js';
import type { RecordRow } from '../kernel/records/record.js';
import type { RecordQueries } from '../kernel/records/record-queries.js';
import { annotationTemplateList } from '../projections/annotation-template-list.js';
import { experimentList } from '../projections/experiment-list.js';
import {
  experimentMembers,
  memberPartsMax,
  type GroupByExperiment,
} from '../projections/experiment-members.js';
import { experimentWinners } from '../projections/experiment-winners.js';
import { rankingCriteria } from '../projections/ranking-criteria.js';
import { requireReadable } from '../projections/read-model.js';
import { foldSession } from '../projections/records/fold-session.js';
import { foldTrace } from '../projections/records/fold-trace.js';
import { scorerList } from '../projections/scorer-list.js';
import { openDocumentFold, type DocumentFold } from '../projections/states/state.js';
import type { CriteriaScope } from '../query-api/experiments/criteria.js';
import type { ExperimentReadNeeds } from '../query-api/experiments/routes.js';
import { openRankingCache } from '../query-api/experiments/ranking-cache.js';
import { experimentCollections } from '../query-api/experiments/experiment-answers.js';
import { openTemplatesOf } from '../query-api/live-templates.js';
import type { ResolveAsOf } from '../ledger/as-of-position.js';
import { foldOrNull } from '../projections/states/fold-or-null.js';
import { recordsAsOf } from '../kernel/records/reference/records-as-of.js';

type Needs = {
  readonly log: EventReader;
  readonly documents: Documents;
  readonly records: RecordQueries;
  readonly freshness: Freshness;
  readonly positionOf: ResolveAsOf;
};
type AsOfQuery = { readonly signal: AbortSignal; readonly memory: Pick<AnswerMemory, 'reserve'> };

/** Contract 1.11: event limit of an `as_of` read. */
const eventsMax = 1_000_000;
/** Concurrent stream reads. */
const streamsAtOnce = 32;
/** Page size of group names from the read model. */
const namesAtOnce = 1_000;
/** Estimated memory of a trace until the answer is made: its metrics and ratings, no texts. */
const rowBytes = 1_000;
const scorersMax = 1_000;

/**
 * A project's experiments as of a position or a date-time (contract 5.14, rule 3). Read models list
 * the experiments, the log gives their past state, and the reference evaluators answer, so that all
 * engines answer alike. Content deleted since is absent.
 */
export const projectAsOf =
  (needs: Needs): ExperimentReadNeeds['projectAt'] =>
  async (scope, asOf, query) => {
    const { log, documents, records, freshness, positionOf } = needs;
    const until = await positionOf(scope.organization, asOf, 'as_of', { signal: query.signal });
    const names = experimentCollections.map(({ name }) => name);
    await freshness.waitUntilApplied(names, until);
    const past = openLogAsOf(log, until, query.signal);
    const runs = await runsOf(documents, scope.project);
    const fold = await foldDocuments(documents, past, scope, runs);
    const then = new Set(fold.of(experimentList.collection.name).keys());
    const rows = new Map<string, readonly RecordRow[]>();
    for (const run of runs.filter((one) => then.has(one))) {
      rows.set(run, await rowsOf(records, past, { project: scope.project, run }, query));
    }
    const at = { documents: documentsAsOf(documents, fold), records: recordsAsOf(records, rows) };
    return {
      needs: { ...at, ranks: openRankingCache(at), templatesOf: openTemplatesOf(at.documents) },
      position: 'position' in asOf ? asOf.position : past.last(),
    };
  };

type LogAsOf = {
  /**
   * Events of the stream up to the position. Throws Fault `invalid` once the read exceeds its event
   * limit.
   */
  readonly eventsOf: (name: StreamName) => Promise<readonly StoredEvent[]>;
  /** The position of the last event that was read. */
  readonly last: () => Position;
};

const openLogAsOf = (log: EventReader, until: Position, signal: AbortSignal): LogAsOf => {
  let left = eventsMax;
  let last: Position = logStart;
  return {
    last: () => last,
    eventsOf: async (name) => {
      signal.throwIfAborted();
      const all = await log.read(name);
      const end = all.findIndex(({ position }) => position > until);
      const events = end === -1 ? all : all.slice(0, end);
      left -= events.length;
      if (left < 0) throw valueFault(['query', 'as_of'], `more than ${eventsMax} events to fold`);
      last = laterPosition(last, events.at(-1)?.position ?? logStart);
      return events;
    },
  };
};

/** The project's live experiments. */
const runsOf = async (documents: Documents, project: string): Promise<readonly string[]> => {
  const parts = await documents.find<GroupByExperiment>(experimentMembers.collection, {
    scope: project,
    limit: memberPartsMax,
  });
  return parts.documents.flatMap(({ body }) => Object.keys(body));
};

const foldDocuments = async (
  documents: Documents,
  past: LogAsOf,
  { organization, project }: CriteriaScope,
  runs: readonly string[],
): Promise<DocumentFold> => {
  const fold = openDocumentFold([
    experimentList,
    experimentMembers,
    experimentWinners,
    rankingCriteria,
    annotationTemplateList,
    scorerList,
  ]);
  const found = await documents.find(scorerList.collection, {
    scope: organization,
    limit: scorersMax,
  });
  const ofRuns = await eventsOfAll(
    past,
    runs.map((run) => streamNameOf('run', run)),
  );
  const scopes = [project, ...new Set(ofRuns.flatMap(groupIn))];
  const others = await eventsOfAll(past, [
    streamNameOf('ranking-criteria', project),
    streamNameOf('annotation-templates', project),
    streamNameOf('organization', organization),
    ...found.documents.map(({ fields }) => streamNameOf('scorer', String(fields['id']))),
    ...scopes.map(experimentScopeStream),
  ]);
  const events = [...ofRuns, ...others].sort((one, other) =>
    one.position < other.position ? -1 : 1,
  );
  for (const event of events) foldOrNull(() => fold.fold([event]));
  return fold;
};

/** The group that an event assigns its experiment to. */
const groupIn = ({ data }: StoredEvent): readonly string[] => {
  const { group } = data as { readonly group?: { readonly id: string } | null };
  return group == null ? [] : [group.id];
};

const eventsOfAll = async (
  past: LogAsOf,
  names: readonly StreamName[],
): Promise<readonly StoredEvent[]> => {
  const events: StoredEvent[] = [];
  for (let from = 0; from < names.length; from += streamsAtOnce) {
    const some = names.slice(from, from + streamsAtOnce);
    for (const one of await Promise.all(some.map(past.eventsOf))) events.push(...one);
  }
  return events;
};

type RunRef = { readonly project: string; readonly run: string };

/** Traces and sessions of the run at that time. */
const rowsOf = async (
  records: RecordQueries,
  past: LogAsOf,
  scope: RunRef,
  { memory }: AsOfQuery,
): Promise<readonly RecordRow[]> => {
  const rows: RecordRow[] = [];
  for (const population of ['trace', 'session'] as const) {
    for await (const groups of groupsOf(records, scope, population)) {
      await memory.reserve(groups.length * rowBytes);
      for (let from = 0; from < groups.length; from += streamsAtOnce) {
        const some = groups.slice(from, from + streamsAtOnce);
        for (const row of await Promise.all(some.map((name) => rowOf(past, name)))) {
          if (row !== null) rows.push(row);
        }
      }
    }
  }
  return rows;
};

async function* groupsOf(
  records: RecordQueries,
  { project, run }: RunRef,
  population: 'trace' | 'session',
): AsyncGenerator<readonly StreamName[]> {
  const plan = { ...allTracesScope(project), population, run, sort: null, offset: 0 };
  for (let after: string | null = null; ;) {
    const page = await records.search({ ...plan, limit: namesAtOnce, after });
    yield page.rows.map(({ group }) => group);
    if (page.next === undefined) return;
    after = page.next;
  }
}

/** The trace's or session's own row without its texts; null before it existed. */
const rowOf = async (past: LogAsOf, name: StreamName): Promise<RecordRow | null> => {
  const events = await past.eventsOf(name);
  const row = foldOrNull(() => {
    const known = events.map(requireReadable);
    return name.startsWith('session-')
      ? foldSession(null, known as unknown as readonly StoredEvent<SessionEvent>[])
      : (foldTrace([], known as unknown as readonly StoredEvent<TraceEvent>[])[0] ?? null);
  });
  if (row === null) return null;
  const { run_id, session_id, is_complete, created_at } = row.values;
  const values = { run_id, session_id, is_complete, created_at } as RecordRow['values'];
  const { annotations = {} } = row.body;
  return { ...row, values, userMetadata: {}, body: { annotations } };
};

/** Overlays the folded collections on the live documents. */
const documentsAsOf = (live: Documents, fold: DocumentFold): Documents => {
  const known = <B>(name: string): ReadonlyMap<string, Document<B>> =>
    fold.of(name) as ReadonlyMap<string, Document<B>>;
  return {
    ...live,
    get: async <B>(...[collection, key, context]: Parameters<Documents['get']>) =>
      fold.has(collection.name)
        ? (known<B>(collection.name).get(key) ?? null)
        : live.get<B>(collection, key, context),
    load: async (collection, keys, context) => {
      if (!fold.has(collection.name)) return live.load(collection, keys, context);
      const all = known(collection.name);
      return new Map(
        keys.flatMap((key) => {
          const document = all.get(key);
          return document === undefined ? [] : [[key, document] as const];
        }),
      );
    },
    find: async <B>(...[collection, query, context]: Parameters<Documents['find']>) =>
      fold.has(collection.name)
        ? (referenceFind(known(collection.name).values(), query) as never)
        : live.find<B>(collection, query, context),
  };
};
