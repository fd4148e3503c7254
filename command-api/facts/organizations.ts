import type { OrganizationEvent } from '../../events/organizations.js';
import { type EventReader, streamNameOf, type StreamName } from '../../kernel/ports.js';

export const organizationStream = (id: string): StreamName => streamNameOf('organization', id);

/** Never changes once it is made. */
export const organizationNameOf = async (log: EventReader, id: string): Promise<string> => {
  const [first] = await log.read(organizationStream(id), { limit: 1 });
  return (first?.data as OrganizationEvent['data'] | undefined)?.name ?? '';
};
