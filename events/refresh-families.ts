// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import { id, instant, oneOf, secret } from '../kernel/schema-types.js';
import type { Noun } from './noun.js';
import { event, type DataOf, type EventOf } from './schemas.js';

const refreshFamilyEvents = {
  /**
   * Stream `refresh-family-<family>`: one login and the tokens that follow from it (contract 2.3).
   * A token itself is not stored: `token_hash` is its HMAC under a pepper outside the log.
   */
  RefreshFamilyStarted: event('login on', {
    family_id: id('FamilyId'),
    user_id: id('UserId'),
    organization_id: id('OrganizationId'),
    /** Login method: `email`, `google` … (contract 5.1). */
    auth_method: Type.String(),
    /** Number of the user's password changes: a later change ends the family. */
    password_changes: Type.Integer(),
    token_hash: secret(),
    started_at: instant,
    expires_at: instant,
  }),
  RefreshTokenRotated: event(
    'login other',
    {
      family_id: id('FamilyId'),
      /** Hash of the successor; the previous token is accepted for 10 s more. */
      token_hash: secret(),
      rotated_at: instant,
    },
    { isTechnical: true },
  ),
  /** `reuse`: a token with a successor was presented, so one of the two was stolen. */
  RefreshFamilyRevoked: event('login off', {
    family_id: id('FamilyId'),
    reason: oneOf(['logout', 'reuse']),
  }),
};

export const refreshFamilyNoun: Noun = {
  stream: { name: 'refresh-family-<family>', subject: 'refresh family', erasedWith: 'nothing' },
  events: refreshFamilyEvents,
};

export type RefreshFamilyEvent = EventOf<typeof refreshFamilyEvents>;

export type RefreshFamilyStarted = DataOf<RefreshFamilyEvent, 'RefreshFamilyStarted'>;
