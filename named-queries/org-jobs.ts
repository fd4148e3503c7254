import type { OrgJobNeeds, OrgJobPreview } from '../command-api/org-jobs/routes.js';
import type { OrgJobWork } from '../command-api/org-jobs/worker.js';
import type { Freshness } from '../contract/request-ports.js';
import type { ProjectFacts } from '../contract/projects.js';
import type { EventReader } from '../kernel/ports.js';
import type { Documents } from '../kernel/documents.js';
import type { RecordQueries } from '../kernel/records/record-queries.js';
import { projectList } from '../projections/project-list.js';
import { recordsCollection } from '../projections/records/collection.js';
import { traceSelection, sessionSelection } from '../query-api/records/record-selection.js';

type Needs = {
  readonly log: Pick<EventReader, 'head'>;
  readonly documents: Documents;
  readonly records: RecordQueries;
  readonly freshness: Freshness;
};

const projectsAtOnce = 500;
/** Jobs run in the background, and have to progress while read models always lag a little. */
const jobWaitMs = 30_000;

/** Like the deletions of contract 5.7. */
const previewWaitMs = 8_000;

/**
 * Dry run of a deletion by metadata: sessions that have the entry, with all their traces, and
 * traces that have it. Throws Fault `read-model-behind`.
 */
export const orgJobPreviewOf = (needs: Needs): OrgJobNeeds['preview'] => {
  const queries = orgJobQueries(needs, previewWaitMs);
  const { records } = needs;
  const tracesIn = async (
    project: ProjectFacts['id'],
    entry: { readonly key: string; readonly value: string },
    limit: number,
  ) => {
    const having = (population: 'session' | 'trace') =>
      records.recordsWithEntry({ project, population, ...entry, limit });
    const [sessions, alone] = [await having('session'), await having('trace')];
    const ids = sessions.map(({ id }) => id);
    const within =
      ids.length === 0
        ? []
        : await records.tracesOfSessions({ project, sessions: ids, tracesMax: limit });
    const traces = [...within.flatMap(({ traces: some }) => some), ...alone];
    const more = sessions.length === limit || alone.length === limit || within.length < ids.length;
    return { sessions: ids, traces: new Map(traces.map((one) => [one.id, one.spanCount])), more };
  };
  return async (organization, entry, limits, signal) => {
    const sessions: string[] = [];
    const traces = new Map<string, number>();
    const projects = await queries.projectsOf(organization, signal);
    await needs.freshness.waitUntilApplied([recordsCollection.name], await needs.log.head(), {
      atMostMs: previewWaitMs,
      signal,
    });
    let [touched, more] = [0, false];
    for (const project of projects) {
      const limit = limits.counted - Math.max(sessions.length, traces.size);
      signal.throwIfAborted();
      if (limit <= 0) return previewOf({ touched, sessions, traces, more: true }, limits.ids);
      const found = await tracesIn(project, entry, limit);
      touched += found.sessions.length + found.traces.size > 0 ? 1 : 0;
      sessions.push(...found.sessions);
      for (const [id, spans] of found.traces) traces.set(id, spans);
      more ||= found.more;
    }
    return previewOf({ touched, sessions, traces, more }, limits.ids);
  };
};

const previewOf = (
  {
    touched,
    sessions,
    traces,
    more,
  }: {
    readonly touched: number;
    readonly sessions: readonly string[];
    readonly traces: ReadonlyMap<string, number>;
    readonly more: boolean;
  },
  idsMax: number,
): OrgJobPreview => ({
  matched: {
    projects: touched,
    sessions: sessions.length,
    traces: traces.size,
    spans: [...traces.values()].reduce((sum, spans) => sum + spans, 0),
  },
  ids: [...sessions, ...traces.keys()].slice(0, idsMax),
  more,
});

/**
 * Read-model queries of org jobs. Throws Fault `read-model-behind` when the wait exceeds
 * `atMostMs`.
 */
export const orgJobQueries = (
  { log, documents, records, freshness }: Needs,
  atMostMs = jobWaitMs,
): Pick<OrgJobWork, 'projectsOf' | 'matching'> => ({
  projectsOf: async (organization, signal) => {
    await freshness.waitUntilApplied([projectList.collection.name], await log.head(), {
      atMostMs,
      signal,
    });
    const ids: ProjectFacts['id'][] = [];
    for (;;) {
      const { documents: found, more } = await documents.find(projectList.collection, {
        scope: organization,
        offset: ids.length,
        limit: projectsAtOnce,
      });
      ids.push(...found.map(({ key }) => key as ProjectFacts['id']));
      if (!more) return ids;
    }
  },

  matching: async (project, entry, limit, signal) => {
    await freshness.waitUntilApplied([recordsCollection.name], await log.head(), {
      atMostMs,
      signal,
    });
    const having = (population: 'session' | 'trace') =>
      records.recordsWithEntry({ project, population, ...entry, limit });
    const sessions = await having('session');
    return sessions.length > 0
      ? sessionSelection(records, project, sessions)
      : traceSelection(await having('trace'));
  },
});
