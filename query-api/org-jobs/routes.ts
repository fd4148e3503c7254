import { readRoute, type Route } from '../../contract/operation.js';
import { getOrgJob, orgJobAnswer } from '../../contract/org-jobs.js';
import { Fault } from '../../kernel/fault.js';
import type { Documents } from '../../kernel/documents.js';
import { orgJobList, type ListedOrgJob } from '../../projections/org-job-list.js';
import { userList } from '../../projections/user-list.js';
import { readUserBlocks } from '../user-blocks.js';

type OrgJobReadNeeds = {
  readonly documents: Documents;
  readonly secrets: {
    readonly jobValues: { readonly open: (sealed: string, job: string) => string | null };
  };
};

const redacted = '[redacted]';

/** Read of org jobs (contract 4.14). */
export const orgJobReads = ({ documents, secrets }: OrgJobReadNeeds): readonly Route[] => [
  readRoute(
    getOrgJob,
    [orgJobList.collection, userList.collection],
    async ({ params, principal }) => {
      const found = await documents.get<ListedOrgJob>(orgJobList.collection, params.job_id);
      if (found?.scope !== principal.organizationId) throw new Fault('not-found', 'Job not found');
      const { facts } = found.body;
      const value =
        principal.organizationRole === 'admin'
          ? secrets.jobValues.open(facts.value_sealed, facts.id)
          : null;
      const people = await readUserBlocks(documents, found.scope, [facts.created_by]);
      const by = people.has(facts.created_by) ? facts.created_by : null;
      return { body: orgJobAnswer(facts, value ?? redacted, by) };
    },
  ),
];
