// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import { id, instant } from '../kernel/schema-types.js';
import type { Noun } from './noun.js';
import { event, type EventOf } from './schemas.js';

export const organizationEvents = {
  OrganizationCreated: event('entity create', {
    organization_id: id('OrganizationId'),
    name: Type.String(),
    created_at: instant,
  }),
};

export const organizationNoun: Noun = {
  stream: {
    name: 'organization-<organization>',
    subject: { own: 'organization' },
    erasedWith: 'nothing',
  },
  events: organizationEvents,
};

export type OrganizationEvent = EventOf<typeof organizationEvents>;
