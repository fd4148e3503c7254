import type { OrgJobFacts, OrgJobResult, OrgJobStatus } from '../contract/org-jobs.js';
import { deletionEvents } from '../events/deletions.js';
import { orgJobEvents } from '../events/org-jobs.js';
import { pickEvents } from '../events/schemas.js';
import { unreachable } from '../kernel/decision.js';
import type { Document } from '../kernel/documents.js';
import type { Instant } from '../kernel/schema-types.js';
import type { Projection } from './projection.js';

export type ListedOrgJob = {
  readonly facts: OrgJobFacts;
  /** Projects in which the job deleted something. */
  readonly projects: readonly string[];
};
const events = { ...orgJobEvents, ...pickEvents(deletionEvents, 'RecordsDeleted') };

/** Org jobs by id, in the scope of their organisation, with what they deleted so far. */
export const orgJobList: Projection<typeof events, ListedOrgJob> = {
  collection: {
    name: 'org_job_list',
    version: 1,
    fields: { status: 'text', created_at: 'date' },
  },
  events,
  keys: ({ data }) => (data.job_id === null ? [] : [data.job_id]),
  evolve: (document, { type, data, metadata: { at } }) => {
    switch (type) {
      case 'OrgJobRequested':
        return documentOf({
          facts: {
            id: data.job_id,
            organization_id: data.organization_id,
            job_name: data.job_name,
            status: 'pending',
            metadata_key: data.metadata_key,
            value_sealed: data.value_sealed,
            immediate: data.immediate,
            created_at: data.created_at,
            updated_at: data.created_at,
            error_message: null,
            created_by: data.created_by,
            result: null,
          },
          projects: [],
        });
      case 'OrgJobStarted':
        return withStatus(document, at, 'processing', nothingYet);
      case 'RecordsDeleted': {
        if (document === null) return null;
        const { projects, facts } = document.body;
        const known = new Set([...projects, data.project_id]);
        const sofar = facts.result ?? nothingYet;
        return withStatus(
          { ...document, body: { facts, projects: [...known] } },
          at,
          facts.status,
          {
            projects: known.size,
            sessions: sofar.sessions + data.session_ids.length,
            traces: sofar.traces + data.trace_ids.length,
            spans: sofar.spans + data.spans,
          },
        );
      }
      case 'OrgJobCompleted': {
        const { projects, sessions, traces, spans } = data;
        return withStatus(document, at, 'completed', { projects, sessions, traces, spans });
      }
      case 'OrgJobFailed':
        return withStatus(document, at, 'failed', null, data.reason);
      default:
        return unreachable(type);
    }
  },
};

type Listed = Document<ListedOrgJob>;
const nothingYet: OrgJobResult = { projects: 0, sessions: 0, traces: 0, spans: 0 };

const documentOf = (body: ListedOrgJob): Listed => ({
  key: body.facts.id,
  scope: body.facts.organization_id,
  fields: { status: body.facts.status, created_at: body.facts.created_at },
  body,
});

const withStatus = (
  document: Listed | null,
  updated_at: Instant,
  status: OrgJobStatus,
  result: OrgJobResult | null,
  error_message: string | null = null,
): Listed | null => {
  if (document === null) return null;
  const { facts, projects } = document.body;
  return documentOf({
    facts: { ...facts, status, updated_at, error_message, result: result ?? facts.result },
    projects,
  });
};
