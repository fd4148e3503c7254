// Stored for ever: names, members and versions below are the storage format.
import { Type, type Static } from 'typebox';
import { id, instant } from '../kernel/shapes.js';

/**
 * Stream `org-job-<job>`. `value_sealed` is the metadata value, encrypted with a key outside the
 * log: what has to be forgotten is often somebody's name.
 */
export const orgJobRequested = Type.Object({
  job_id: id('OrgJobId'),
  organization_id: id('OrganizationId'),
  job_name: Type.String(),
  metadata_key: Type.String(),
  value_sealed: Type.String(),
  immediate: Type.Boolean(),
  created_by: id('UserId'),
  created_at: instant,
});
export const orgJobStarted = Type.Object({ job_id: id('OrgJobId') });
/** Nothing that matches can be read any more, and the content of what matched is erased. */
export const orgJobCompleted = Type.Object({
  job_id: id('OrgJobId'),
  projects: Type.Integer(),
  sessions: Type.Integer(),
  traces: Type.Integer(),
  spans: Type.Integer(),
});
export const orgJobFailed = Type.Object({ job_id: id('OrgJobId'), reason: Type.String() });

export type OrgJobRequested = Static<typeof orgJobRequested>;
export type OrgJobEvent =
  | { readonly type: 'OrgJobRequested'; readonly data: OrgJobRequested }
  | { readonly type: 'OrgJobStarted'; readonly data: Static<typeof orgJobStarted> }
  | { readonly type: 'OrgJobCompleted'; readonly data: Static<typeof orgJobCompleted> }
  | { readonly type: 'OrgJobFailed'; readonly data: Static<typeof orgJobFailed> };
