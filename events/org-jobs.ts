// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import { id, instant, secret } from '../kernel/schema-types.js';
import type { Noun } from './noun.js';
import type { DataOf, EventOf } from './schemas.js';

export const orgJobEvents = {
  /**
   * Stream `org-job-<job>`. `value_sealed` is the metadata value, encrypted with a key outside the
   * log: it is often a person's name.
   */
  OrgJobRequested: Type.Object({
    job_id: id('OrgJobId'),
    organization_id: id('OrganizationId'),
    job_name: Type.String(),
    metadata_key: Type.String(),
    value_sealed: secret(),
    immediate: Type.Boolean(),
    created_by: id('UserId'),
    created_at: instant,
  }),
  OrgJobStarted: Type.Object({ job_id: id('OrgJobId') }),
  /** Matching records can no longer be read, and the content of what matched is erased. */
  OrgJobCompleted: Type.Object({
    job_id: id('OrgJobId'),
    projects: Type.Integer(),
    sessions: Type.Integer(),
    traces: Type.Integer(),
    spans: Type.Integer(),
  }),
  OrgJobFailed: Type.Object({ job_id: id('OrgJobId'), reason: Type.String() }),
};

export const orgJobNoun: Noun<typeof orgJobEvents> = {
  stream: { name: 'org-job-<job>', subject: { own: 'org_job' }, erasedWith: 'nothing' },
  events: orgJobEvents,
  activities: {
    OrgJobRequested: 'entity create',
    OrgJobStarted: 'entity create',
    OrgJobCompleted: 'entity update',
    OrgJobFailed: 'entity update',
  },
};

export type OrgJobEvent = EventOf<typeof orgJobEvents>;

export type OrgJobRequested = DataOf<OrgJobEvent, 'OrgJobRequested'>;
