import { experimentScopeStream } from '../../command-api/facts/experiments.js';
import type { Freshness } from '../../contract/gate.js';
import type { AnswerRoom } from '../../contract/operation.js';
import type { SessionEvent, TraceEvent } from '../../events/traces.js';
import { foundIn } from '../../kernel/documents-reference.js';
import type { Document, Documents } from '../../kernel/documents.js';
import { valueError } from '../../kernel/fault.js';
import {
  later,
  start,
  stream,
  type EventReader,
  type Position,
  type Recorded,
  type StreamName,
} from '../../kernel/ports.js';
import { allTraces } from '../../kernel/records/questions.js';
import type { RecordRow } from '../../kernel/records/record.js';
import type { Records } from '../../kernel/records/records.js';
import { annotationTemplateList } from '../../projections/annotation-template-list.js';
import { experimentList } from '../../projections/experiment-list.js';
import {
  experimentMembers,
  memberPartsMax,
  type Members,
} from '../../projections/experiment-members.js';
import { experimentWinners } from '../../projections/experiment-winners.js';
import { rankingCriteria } from '../../projections/ranking-criteria.js';
import { readable } from '../../projections/read-model.js';
import { foldSession } from '../../projections/records/session.js';
import { foldTrace } from '../../projections/records/trace.js';
import { scorerList } from '../../projections/scorer-list.js';
import { openDocumentFold, type DocumentFold } from '../../projections/states/state.js';
import type { CriteriaPlace } from '../../query-api/experiments/criteria.js';
import type { ExperimentReadNeeds } from '../../query-api/experiments/routes.js';
import { openRanks } from '../../query-api/experiments/ranks.js';
import { experimentReadsFrom } from '../../query-api/experiments/show.js';
import { templatesIn } from '../../query-api/live-templates.js';
import type { PositionAsOf } from './as-of.js';
import { foldable } from './history.js';
import { pastRecords } from './past-records.js';

type Needs = {
  readonly log: EventReader;
  readonly documents: Documents;
  readonly records: Records;
  readonly freshness: Freshness;
  readonly positionOf: PositionAsOf;
};
type Asked = { readonly signal: AbortSignal; readonly room: Pick<AnswerRoom, 'of'> };

/** Contract 1.11: an `as_of` read. */
const eventsMax = 1_000_000;
/** Streams that are read at once. */
const streamsAtOnce = 32;
/** Groups that the read model names at once. */
const namesAtOnce = 1_000;
/** Of a trace as it is kept until the answer is made: its metrics and ratings, no texts. */
const rowBytes = 1_000;
const scorersMax = 1_000;

/**
 * A project's experiments as of a position or a date-time (contract 5.14, rule 3): which there are
 * is known by the read models, what they were is folded from the log, and asked by the reference
 * evaluators, so that all engines answer alike. What was deleted since is not there.
 */
export const projectAt =
  (needs: Needs): ExperimentReadNeeds['projectAt'] =>
  async (place, asOf, asked) => {
    const { log, documents, records, freshness, positionOf } = needs;
    const until = await positionOf(place.organization, asOf, 'as_of', { signal: asked.signal });
    const names = experimentReadsFrom.map(({ name }) => name);
    await freshness.reached(names, until);
    const past = openPast(log, until, asked.signal);
    const runs = await runsOf(documents, place.project);
    const fold = await foldedDocuments(documents, past, place, runs);
    const then = new Set(fold.of(experimentList.collection.name).keys());
    const rows = new Map<string, readonly RecordRow[]>();
    for (const run of runs.filter((one) => then.has(one))) {
      rows.set(run, await rowsOf(records, past, { project: place.project, run }, asked));
    }
    const at = { documents: pastDocuments(documents, fold), records: pastRecords(records, rows) };
    return {
      needs: { ...at, ranks: openRanks(at), templatesOf: templatesIn(at.documents) },
      position: 'position' in asOf ? asOf.position : past.last(),
    };
  };

type Past = {
  /** Events of the stream up to then. Throws Fault `invalid` once they are too many together. */
  readonly eventsOf: (name: StreamName) => Promise<readonly Recorded[]>;
  /** The position of the last event that was read. */
  readonly last: () => Position;
};

const openPast = (log: EventReader, until: Position, signal: AbortSignal): Past => {
  let left = eventsMax;
  let last: Position = start;
  return {
    last: () => last,
    eventsOf: async (name) => {
      signal.throwIfAborted();
      const all = await log.read(name);
      const end = all.findIndex(({ position }) => position > until);
      const events = end === -1 ? all : all.slice(0, end);
      left -= events.length;
      if (left < 0) throw valueError(['query', 'as_of'], `more than ${eventsMax} events to fold`);
      last = later(last, events.at(-1)?.position ?? start);
      return events;
    },
  };
};

/** The project's live experiments. */
const runsOf = async (documents: Documents, project: string): Promise<readonly string[]> => {
  const parts = await documents.find<Members>(experimentMembers.collection, {
    scope: project,
    limit: memberPartsMax,
  });
  return parts.documents.flatMap(({ body }) => Object.keys(body));
};

const foldedDocuments = async (
  documents: Documents,
  past: Past,
  { organization, project }: CriteriaPlace,
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
    runs.map((run) => stream('run', run)),
  );
  const scopes = [project, ...new Set(ofRuns.flatMap(groupIn))];
  const others = await eventsOfAll(past, [
    stream('ranking-criteria', project),
    stream('annotation-templates', project),
    stream('organization', organization),
    ...found.documents.map(({ fields }) => stream('scorer', String(fields['id']))),
    ...scopes.map(experimentScopeStream),
  ]);
  const events = [...ofRuns, ...others].sort((one, other) =>
    one.position < other.position ? -1 : 1,
  );
  for (const event of events) foldable(() => fold.fold([event]));
  return fold;
};

/** The group that an experiment is put into. */
const groupIn = ({ data }: Recorded): readonly string[] => {
  const { group } = data as { readonly group?: { readonly id: string } | null };
  return group == null ? [] : [group.id];
};

const eventsOfAll = async (
  past: Past,
  names: readonly StreamName[],
): Promise<readonly Recorded[]> => {
  const events: Recorded[] = [];
  for (let from = 0; from < names.length; from += streamsAtOnce) {
    const some = names.slice(from, from + streamsAtOnce);
    for (const one of await Promise.all(some.map(past.eventsOf))) events.push(...one);
  }
  return events;
};

type RunPlace = { readonly project: string; readonly run: string };

/** Traces and sessions of the run as they were. */
const rowsOf = async (
  records: Records,
  past: Past,
  place: RunPlace,
  { room }: Asked,
): Promise<readonly RecordRow[]> => {
  const rows: RecordRow[] = [];
  for (const population of ['trace', 'session'] as const) {
    for await (const groups of groupsOf(records, place, population)) {
      await room.of(groups.length * rowBytes);
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
  records: Records,
  { project, run }: RunPlace,
  population: 'trace' | 'session',
): AsyncGenerator<readonly StreamName[]> {
  const plan = { ...allTraces(project), population, run, sort: null, offset: 0 };
  for (let after: string | null = null; ;) {
    const page = await records.search({ ...plan, limit: namesAtOnce, after });
    yield page.rows.map(({ group }) => group);
    if (page.next === undefined) return;
    after = page.next;
  }
}

/** The trace's or session's own row, without what its texts say; null: it was not there yet. */
const rowOf = async (past: Past, name: StreamName): Promise<RecordRow | null> => {
  const events = await past.eventsOf(name);
  const row = foldable(() => {
    const known = events.map(readable);
    return name.startsWith('session-')
      ? foldSession(null, known as unknown as readonly Recorded<SessionEvent>[])
      : (foldTrace([], known as unknown as readonly Recorded<TraceEvent>[])[0] ?? null);
  });
  if (row === null) return null;
  const { run_id, session_id, is_complete, created_at } = row.values;
  const values = { run_id, session_id, is_complete, created_at } as RecordRow['values'];
  const { annotations = {} } = row.body;
  return { ...row, values, userMetadata: {}, body: { annotations } };
};

/** The live ones, but for the collections that were folded. */
const pastDocuments = (live: Documents, fold: DocumentFold): Documents => {
  const known = <B>(name: string): ReadonlyMap<string, Document<B>> =>
    fold.of(name) as ReadonlyMap<string, Document<B>>;
  return {
    ...live,
    get: async <B>(...[collection, key, asking]: Parameters<Documents['get']>) =>
      fold.has(collection.name)
        ? (known<B>(collection.name).get(key) ?? null)
        : live.get<B>(collection, key, asking),
    load: async (collection, keys, asking) => {
      if (!fold.has(collection.name)) return live.load(collection, keys, asking);
      const all = known(collection.name);
      return new Map(
        keys.flatMap((key) => {
          const document = all.get(key);
          return document === undefined ? [] : [[key, document] as const];
        }),
      );
    },
    find: async <B>(...[collection, query, asking]: Parameters<Documents['find']>) =>
      fold.has(collection.name)
        ? (foundIn(known(collection.name).values(), query) as never)
        : live.find<B>(collection, query, asking),
  };
};
