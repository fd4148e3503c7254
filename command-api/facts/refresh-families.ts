import type { RefreshFamilyEvent, RefreshFamilyStarted } from '../../events/refresh-families.js';
import { unreachable, type Decide, type Fold } from '../../kernel/decision.js';
import { streamNameOf, type StreamName } from '../../kernel/ports.js';
import type { FamilyId, Instant, OrganizationId, UserId } from '../../kernel/schema-types.js';
import type { User } from './users.js';

export const refreshFamilyStream = (id: string): StreamName => streamNameOf('refresh-family', id);

/** One login with its refresh tokens, by hash (contract 2.3). */
export type RefreshTokenFamily = {
  readonly id: FamilyId;
  readonly userId: UserId;
  readonly organizationId: OrganizationId;
  readonly authMethod: string;
  readonly passwordChanges: number;
  readonly current: string;
  readonly previous: string | null;
  /** Every token that has a successor. */
  readonly used: readonly string[];
  /** Time at which `current` was made. */
  readonly rotatedAt: Instant;
  readonly expiresAt: Instant;
  readonly revoked: boolean;
};

export const refreshTokenFamilies: Fold<RefreshTokenFamily | null, RefreshFamilyEvent> = {
  initial: null,
  evolve: (family, { type, data }) => {
    switch (type) {
      case 'RefreshFamilyStarted':
        return {
          id: data.family_id,
          userId: data.user_id,
          organizationId: data.organization_id,
          authMethod: data.auth_method,
          passwordChanges: data.password_changes,
          current: data.token_hash,
          previous: null,
          used: [],
          rotatedAt: data.started_at,
          expiresAt: data.expires_at,
          revoked: false,
        };
      case 'RefreshTokenRotated':
        return (
          family && {
            ...family,
            current: data.token_hash,
            previous: family.current,
            used: [...family.used, family.current],
            rotatedAt: data.rotated_at,
          }
        );
      case 'RefreshFamilyRevoked':
        return family && { ...family, revoked: true };
      default:
        return unreachable(type);
    }
  },
};

/** Contract 2.3, rules 3 and 4. */
export const idleSeconds = 7 * 86_400;
export const familyMaxSeconds = 30 * 86_400;
export const graceSeconds = 10;
/**
 * Bound of a stream's length: a refresh every ten minutes for 30 days. More frequent refreshes end
 * in a new login.
 */
export const rotationsMax = 4_400;

/**
 * True if the login still counts: not ended, not expired, its user live and without a password
 * change elsewhere since (contract 2.2, rule 3).
 */
export const isAlive = (family: RefreshTokenFamily, user: User | null, now: Instant): boolean =>
  !family.revoked &&
  family.expiresAt > now &&
  user !== null &&
  user.live &&
  user.id === family.userId &&
  (user.passwordChanges === family.passwordChanges || user.keptFamily === family.id);

export const beginFamily =
  (family: RefreshFamilyStarted): Decide<RefreshTokenFamily | null, RefreshFamilyEvent> =>
  (known) =>
    known === null ? [{ type: 'RefreshFamilyStarted', data: family }] : [];

/**
 * Refresh token rotation: makes the successor of the presented token, at most one. Reuse of a token
 * that has a successor revokes the family, except the last one within ten seconds (contract 2.3,
 * rule 4). No effect for a token of another family: the state says whether the successor was made.
 */
export const rotateRefreshToken =
  (
    { presented, successor }: { readonly presented: string; readonly successor: string },
    now: Instant,
  ): Decide<RefreshTokenFamily | null, RefreshFamilyEvent> =>
  (family) => {
    if (family === null || family.revoked || family.expiresAt <= now) return [];
    if (presented === family.current) {
      const isIdle = secondsBetween(family.rotatedAt, now) > idleSeconds;
      if (isIdle || family.used.length >= rotationsMax) return [];
      return [
        {
          type: 'RefreshTokenRotated',
          data: { family_id: family.id, token_hash: successor, rotated_at: now },
        },
      ];
    }
    if (!family.used.includes(presented)) return [];
    const isEarly = secondsBetween(family.rotatedAt, now) <= graceSeconds;
    if (presented === family.previous && isEarly) return [];
    return revocationEvents(family, 'reuse');
  };

export const endFamily: Decide<RefreshTokenFamily | null, RefreshFamilyEvent> = (family) =>
  family === null || family.revoked ? [] : revocationEvents(family, 'logout');

const revocationEvents = (
  family: RefreshTokenFamily,
  reason: 'logout' | 'reuse',
): readonly RefreshFamilyEvent[] => [
  { type: 'RefreshFamilyRevoked', data: { family_id: family.id, reason } },
];

export const secondsBetween = (from: Instant, to: Instant): number =>
  (Date.parse(to) - Date.parse(from)) / 1_000;
