import { Type } from 'typebox';
import { emailMax, isEmail } from '../kernel/email.js';
import {
  id,
  instant,
  nullish,
  namedSchema,
  nullable,
  oneOf,
  secret,
} from '../kernel/schema-types.js';
import { type Complaint, valueComplaint } from '../kernel/fault.js';
import { passwordLength, tokenAnswer } from './logins.js';
import { operation } from './operation.js';
import { organizationRoles } from './roles.js';
import { authMethods, personalName } from './users.js';

/** Days until an invitation expires (contract 5.2). */
export const invitationDays = 7;
const invitedMax = 100;
const groupsMax = 100;

export const inviteUsers = operation({
  operationId: 'inviteUsers',
  summary: 'Invite users; the inviter hands the one-time tokens over',
  description: 'Nothing is mailed: each token is shown once and is good for 7 days.',
  example: { emails: ['grace@example.org'], role: 'user' },
  section: '5.2',
  method: 'POST',
  path: '/v2/invite_users',
  requires: 'manager',
  body: Type.Object({
    emails: Type.Array(Type.String({ minLength: 3, maxLength: emailMax }), {
      minItems: 1,
      maxItems: invitedMax,
    }),
    role: nullish(oneOf(organizationRoles)),
    group_ids: nullish(Type.Array(id('GroupId'), { maxItems: groupsMax })),
    auth_method: nullish(oneOf(authMethods)),
  }),
  /** `invitation_token` is shown this once; a replay under an Idempotency-Key has `""`. */
  response: Type.Object({
    message: Type.String(),
    invitations: Type.Array(
      namedSchema(
        'Invitation',
        Type.Object({
          user_id: id('UserId'),
          email: Type.String(),
          role: oneOf(organizationRoles),
          invitation_token: nullable(secret()),
          expires_at: instant,
        }),
      ),
    ),
  }),
  faults: ['not-found', 'already-exists'],
});

export const issueInvitation = operation({
  operationId: 'issueInvitation',
  summary: 'Issue another one-time token to a user, such as one who lost the password',
  description:
    'It replaces any token before, is good for 7 days and sets a password, which ends the logins ' +
    'of the user.',
  section: '5.2',
  method: 'POST',
  path: '/v2/users/{user_id}/invitation',
  requires: 'manager',
  /** `invitation_token` is shown this once; a replay under an Idempotency-Key has `""`. */
  response: Type.Object({ invitation_token: secret(), expires_at: instant }),
});

export const acceptInvitation = operation({
  operationId: 'acceptInvitation',
  summary: 'Accept an invitation with its one-time token, choose a password and log in',
  description: 'A used or unknown token is a 401.',
  example: { token: 'asy_invite_...', password: 'correct horse battery', first_name: 'Grace' },
  section: '5.2',
  method: 'POST',
  path: '/v2/invitations/accept',
  schemes: [],
  requires: 'public',
  cookie: true,
  body: Type.Object({
    token: secret({ maxLength: 255 }),
    password: secret(passwordLength),
    first_name: nullish(personalName),
    last_name: nullish(personalName),
  }),
  response: tokenAnswer,
});

export const invitationOperations = [inviteUsers, issueInvitation, acceptInvitation];

/** Complaints about e-mails beyond the schema. */
export const emailComplaints = (emails: readonly string[]): readonly Complaint[] =>
  emails.flatMap((email, index) =>
    isEmail(email)
      ? []
      : [valueComplaint(['body', 'emails', String(index)], 'an e-mail has a name, @ and a host')],
  );
