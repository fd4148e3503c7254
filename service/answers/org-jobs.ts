import type { OrgJobWork } from '../../command-api/org-jobs/worker.js';
import type { Freshness } from '../../contract/gate.js';
import type { ProjectFacts } from '../../contract/projects.js';
import type { EventReader } from '../../kernel/ports.js';
import type { Documents } from '../../kernel/documents.js';
import type { Records } from '../../kernel/records/records.js';
import { projectList } from '../../projections/project-list.js';
import { recordsCollection } from '../../projections/records/collection.js';
import { tracesAlone, withTraces } from '../../query-api/records/choice.js';

type Needs = {
  readonly log: Pick<EventReader, 'head'>;
  readonly documents: Documents;
  readonly records: Records;
  readonly freshness: Freshness;
};

const projectsAtOnce = 500;
/** Nobody waits for a job, and it has to go on while the read models are always a little behind. */
const atMostMs = 30_000;

/** Where org jobs look. Throws Fault `read-model-behind` when the read models are not there yet. */
export const orgJobQuestions = ({
  log,
  documents,
  records,
  freshness,
}: Needs): Pick<OrgJobWork, 'projectsOf' | 'matching'> => ({
  projectsOf: async (organization, signal) => {
    await freshness.reached([projectList.collection.name], await log.head(), {
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
    await freshness.reached([recordsCollection.name], await log.head(), { atMostMs, signal });
    const having = (population: 'session' | 'trace') =>
      records.withEntry({ project, population, ...entry, limit });
    const sessions = await having('session');
    return sessions.length > 0
      ? withTraces(records, project, sessions)
      : tracesAlone(await having('trace'));
  },
});
