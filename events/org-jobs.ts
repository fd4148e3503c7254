// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import { id, instant, secret } from '../kernel/schema-types.js';
import type { Noun } from './noun.js';
import { event, type DataOf, type EventOf } from './schemas.js';

export const orgJobEvents = {
  /**
   * `value_sealed` is the metadata value, encrypted with a key outside the
   * log: it is often a person's name.
   */
  OrgJobRequested: event('entity create', {
    job_id: id('OrgJobId'),
    organization_id: id('OrganizationId'),
    job_name: Type.String(),
    metadata_key: Type.String(),
    value_sealed: secret(),
    immediate: Type.Boolean(),
    created_by: id('UserId'),
    created_at: instant,
  }),
  OrgJobStarted: event('entity create', { job_id: id('OrgJobId') }),
  /** Matching records can no longer be read, and the content of what matched is erased. */
  OrgJobCompleted: event('entity update', {
    job_id: id('OrgJobId'),
    projects: Type.Integer(),
    sessions: Type.Integer(),
    traces: Type.Integer(),
    spans: Type.Integer(),
  }),
  OrgJobFailed: event('entity update', { job_id: id('OrgJobId'), reason: Type.String() }),
};

export const orgJobNoun: Noun = {
  stream: { name: 'org-job-<job>', subject: { own: 'org_job' }, erasedWith: 'nothing' },
  events: orgJobEvents,
};

export type OrgJobEvent = EventOf<typeof orgJobEvents>;

export type OrgJobRequested = DataOf<OrgJobEvent, 'OrgJobRequested'>;
