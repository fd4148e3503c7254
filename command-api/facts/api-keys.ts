import type { ProjectRole } from '../../contract/roles.js';
import type { ApiKeyEvent } from '../../events/api-keys.js';
import { unreachable, type Fold } from '../../kernel/decision.js';
import { streamNameOf, type StreamName } from '../../kernel/ports.js';
import { uniqueName } from '../../kernel/name-reservation.js';
import type {
  ApiKeyId,
  Instant,
  OrganizationId,
  ProjectId,
  UserId,
} from '../../kernel/schema-types.js';
import { reservationStream } from './reservations.js';

export const apiKeyStream = (id: string): StreamName => streamNameOf('api-key', id);

export type ApiKey = {
  readonly id: ApiKeyId;
  readonly organizationId: OrganizationId;
  readonly createdBy: UserId;
  readonly valueHash: string;
  readonly truncated: string;
  readonly description: string;
  readonly projectId: ProjectId | null;
  readonly projectRole: ProjectRole | null;
  readonly expiresAt: Instant | null;
  /** Ancestor keys, parent first. */
  readonly ancestors: readonly ApiKeyId[];
  readonly createdAt: Instant;
  readonly revoked: boolean;
};

export const apiKeys: Fold<ApiKey | null, ApiKeyEvent> = {
  initial: null,
  evolve: (key, { type, data }) => {
    switch (type) {
      case 'ApiKeyCreated':
        return {
          id: data.api_key_id,
          organizationId: data.organization_id,
          createdBy: data.created_by,
          valueHash: data.value_hash,
          truncated: data.truncated,
          description: data.description,
          projectId: data.project_id,
          projectRole: data.project_role,
          expiresAt: data.expires_at,
          ancestors: data.ancestors,
          createdAt: data.created_at,
          revoked: false,
        };
      case 'ApiKeyRevoked':
        return key && { ...key, revoked: true };
      default:
        return unreachable(type);
    }
  },
};

/**
 * Key values, reserved by hash. A value stays reserved for ever: a revoked key's value must never
 * become valid again.
 */
export const apiKeyValues = uniqueName({
  stream: (_where: unknown, hash: string) => reservationStream('api-key-value', hash),
  holder: apiKeyStream,
  fold: apiKeys,
  isLive: () => true,
  has: () => true,
});
