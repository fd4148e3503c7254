import { deleteByMetadata, deleteByMetadataJob } from '../../contract/org-jobs.js';
import { route, type Route } from '../../contract/operation.js';
import type { EventLog } from '../../kernel/ports.js';
import { transact } from '../../kernel/transact.js';
import { orgJobs, orgJobStream } from '../facts/org-jobs.js';
import { ask } from './org-jobs.js';
import type { TextSeal } from '../../kernel/credentials.js';

export type OrgJobNeeds = {
  readonly log: EventLog;
  readonly secrets: { readonly jobValues: TextSeal };
};

/** Contract 5.13: the request; command-api/org-jobs/worker.ts does what it asks for. */
export const orgJobWrites = ({ log, secrets }: OrgJobNeeds): readonly Route[] => [
  route(deleteByMetadata, async ({ body, query, principal, cause, mint }) => {
    const id = mint('OrgJobId');
    const decide = ask({
      job_id: id,
      organization_id: principal.organizationId,
      job_name: deleteByMetadataJob,
      metadata_key: body.metadata_key,
      value_sealed: secrets.jobValues.seal(body.metadata_value, id),
      immediate: query.immediate === true,
      created_by: principal.userId,
      created_at: cause.at,
    });
    const { position } = await transact(log, orgJobStream(id), orgJobs, decide, cause);
    return { position, body: { job_id: id, message: 'The deletion is requested.' } };
  }),
];
