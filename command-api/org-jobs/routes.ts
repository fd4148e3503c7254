import {
  deleteByMetadata,
  deleteByMetadataJob,
  dryRunCountedMax,
  type OrgJobResult,
} from '../../contract/org-jobs.js';
import { deletedMax } from '../../contract/record-deletions.js';
import { pluralize } from '../../kernel/fault.js';
import type { OrganizationId } from '../../kernel/schema-types.js';
import { writeRoute, type Route } from '../../contract/operation.js';
import type { EventLog } from '../../kernel/ports.js';
import { transact } from '../../kernel/transact.js';
import { orgJobs, orgJobStream } from '../facts/org-jobs.js';
import { requestOrgJob } from './org-jobs.js';
import type { TextSealer } from '../../kernel/credentials.js';

/** Preview of a deletion (dry run). */
export type OrgJobPreview = {
  readonly matched: OrgJobResult;
  /** Ids of sessions, then of traces. */
  readonly ids: readonly string[];
  /** True if more match than are counted. */
  readonly more: boolean;
};
export type OrgJobNeeds = {
  readonly log: EventLog;
  /** Counts at most `counted` sessions and traces, each. */
  readonly preview: (
    organization: OrganizationId,
    entry: { readonly key: string; readonly value: string },
    most: { readonly counted: number; readonly ids: number },
    signal: AbortSignal,
  ) => Promise<OrgJobPreview>;
  readonly secrets: { readonly jobValues: TextSealer };
};

/** Write routes of org jobs (contract 5.13); command-api/org-jobs/worker.ts runs the jobs. */
export const orgJobWrites = ({ log, secrets, preview }: OrgJobNeeds): readonly Route[] => [
  writeRoute(deleteByMetadata, async ({ body, query, principal, cause, mint, signal }) => {
    if (body.dry_run === true) {
      const entry = { key: body.metadata_key, value: body.metadata_value };
      const most = { counted: dryRunCountedMax, ids: deletedMax };
      const found = await preview(principal.organizationId, entry, most, signal);
      const { sessions, traces } = found.matched;
      const all = `${pluralize(sessions, 'session')} and ${pluralize(traces, 'trace')}`;
      return {
        position: await log.head(),
        body: {
          job_id: null,
          message: `${all} would be deleted${found.more ? ', and more' : ''}.`,
          matched: found.matched,
          matched_count: sessions + traces,
          ids: [...found.ids],
          more: found.more,
        },
      };
    }
    const id = mint('OrgJobId');
    const decide = requestOrgJob({
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
