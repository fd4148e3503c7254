import { openSessionRepository } from '../../command-api/sessions/session-repository.js';
import { sessionWrites } from '../../command-api/sessions/routes.js';
import { traceWrites } from '../../command-api/traces/routes.js';
import type { SpanLookup } from '../../command-api/traces/span-index.js';
import { systemClock } from '../../engines/node/clock.js';
import { sha256 } from '../../engines/node/digest.js';
import { randomIds } from '../../engines/node/ids.js';
import type { StoredEvent } from '../../kernel/ports.js';
import type { RunId } from '../../kernel/schema-types.js';
import { appendEvents } from '../../kernel/transact.js';
import { readAllPages } from './log-pages.js';
import { project, smallService, type SmallService } from './small-service.js';

export type IngestService = SmallService & {
  /** Path of a route of the project. */
  readonly at: (path: string) => string;
  /** A new log stream of the project, or of another one. */
  readonly newRun: (ofProject?: string) => Promise<RunId>;
  readonly deleteRun: (run: RunId) => Promise<void>;
  /** All events ever appended, in order. */
  readonly history: () => Promise<readonly StoredEvent[]>;
};

/** An empty index: recent writes are found all the same. */
const emptyIndex: SpanLookup = { traceOfSpan: async () => null };

const inSight = { id: project, name: 'airline', role: 'editor' } as const;

/** The ingest routes over HTTP, without any read model. */
export const ingestService = async (questions: SpanLookup = emptyIndex): Promise<IngestService> => {
  const service = await smallService((log) => {
    const sessions = openSessionRepository({ log, ids: randomIds });
    return [
      ...sessionWrites({ log, ids: randomIds, sessions }),
      ...traceWrites({
        log,
        ids: randomIds,
        clock: systemClock,
        sha256,
        joinSessions: sessions.joinSessions,
        projectByName: async () => inSight,
        visibleProject: async (_principal, id) => (id === project ? inSight : null),
        ...questions,
      }),
    ];
  });
  const happened = async (run: RunId, revision: number, type: string, data: object) => {
    const stream = `run-${run}` as never;
    const authorship = {
      actor: { type: 'service', id: 'assay', role: 'owner' },
      requestId: 'test',
      correlationId: 'test',
      causationId: null,
      organizationId: null,
      at: systemClock.now(),
      eventId: () => randomIds.next('EventId'),
    } as const;
    const expected = revision === 0 ? 'none' : revision - 1;
    await appendEvents(service.log, [{ stream, expected, events: [{ type, data }] }], authorship);
  };
  return {
    ...service,
    at: (path) => `/v2/projects/${project}/${path}`,
    newRun: async (ofProject = project) => {
      const run = randomIds.next('RunId');
      await happened(run, 0, 'LogStreamCreated', {
        run_id: run,
        project_id: ofProject,
        organization_id: randomIds.next('OrganizationId'),
        name: run,
        created_by: randomIds.next('UserId'),
        created_at: systemClock.now(),
      });
      return run;
    },
    deleteRun: (run) => happened(run, 1, 'LogStreamDeleted', { run_id: run, project_id: project }),
    history: () => readAllPages(service.log),
  };
};
