import type { OrgJobWork } from '../command-api/org-jobs/worker.js';
import type { Freshness } from '../contract/gate.js';
import type { ProjectFacts } from '../contract/projects.js';
import type { Documents, EventReader } from '../kernel/ports.js';
import type { RecordRow, Records } from '../kernel/records.js';
import { projectList } from '../projections/project-list.js';
import { recordsCollection } from '../projections/records/collection.js';
import { withTraces } from '../query-api/records/choice.js';

type Needs = {
  readonly log: Pick<EventReader, 'head'>;
  readonly documents: Documents;
  readonly records: Records;
  readonly freshness: Freshness;
};

const projectsAtOnce = 500;

/** Where org jobs look. Throws Fault `read-model-behind` when the read models are not there yet. */
export const orgJobQuestions = ({
  log,
  documents,
  records,
  freshness,
}: Needs): Pick<OrgJobWork, 'projectsOf' | 'matching'> => ({
  projectsOf: async (organization) => {
    await freshness.reached([projectList.collection.name], await log.head());
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

  matching: async (project, { key, value }, limit) => {
    await freshness.reached([recordsCollection.name], await log.head());
    const search = async (population: 'session' | 'trace'): Promise<readonly RecordRow[]> => {
      const { rows } = await records.search({
        population,
        project,
        run: null,
        templates: [],
        kinds: null,
        from: null,
        to: null,
        filter: {
          kind: 'text',
          column: `user_metadata/${key}`,
          operator: 'eq',
          values: [value],
          caseSensitive: true,
        },
        sort: null,
        offset: 0,
        limit,
      });
      return rows;
    };
    const sessions = await search('session');
    return withTraces(records, project, sessions.length > 0 ? sessions : await search('trace'));
  },
});
