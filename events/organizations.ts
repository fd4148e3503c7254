// Stored for ever: names, members and versions below are the storage format.
import { Type, type Static } from 'typebox';
import { id, instant } from '../kernel/shapes.js';

/** Stream `organization-<organization>`. */
export const organizationCreated = Type.Object({
  organization_id: id('OrganizationId'),
  name: Type.String(),
  created_at: instant,
});

export type OrganizationEvent = {
  readonly type: 'OrganizationCreated';
  readonly data: Static<typeof organizationCreated>;
};
