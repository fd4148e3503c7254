import type { OrganizationEvent } from '../../events/organizations.js';
import { type EventReader, streamNameOf, type StreamName } from '../../kernel/ports.js';

export const organizationStream = (id: string): StreamName => streamNameOf('organization', id);

/** Name of an organisation, which never changes. */
export const organizationNameOf = async (log: EventReader, id: string): Promise<string> => {
  const [first] = await log.read(organizationStream(id), { limit: 1 });
  return (first?.data as OrganizationEvent['data'] | undefined)?.name ?? '';
};
