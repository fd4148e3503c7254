import { Type, type Static } from 'typebox';
import { id, instant, oneOf, type OrganizationId, type UserId } from '../kernel/shapes.js';
import { permission } from './people.js';
import { userPermissions } from './permissions.js';
import { organizationRoles, type OrganizationRole } from './roles.js';

/** How a user comes in (contract 5.1); `invite`: not at all yet. */
export const authMethods = [
  'email',
  'google',
  'github',
  'okta',
  'azure-ad',
  'custom',
  'saml',
  'invite',
] as const;

const facts = {
  id: id('UserId'),
  email: Type.String(),
  first_name: Type.String(),
  last_name: Type.String(),
  role: oneOf(organizationRoles),
  auth_method: Type.String(),
  email_is_verified: Type.Boolean(),
  organization_id: id('OrganizationId'),
  created_at: instant,
  /** Of the last change of the user; at first `created_at`. */
  updated_at: instant,
};
/** The user of contract 5.1 and 5.2. */
export const user = Type.Object({
  ...facts,
  organization_name: Type.String(),
  permissions: Type.Array(permission),
  generic_permissions: Type.Array(permission),
});

/** What the log says of a user, as it is shown; the rest of the answer depends on who asks. */
const userFacts = Type.Object(facts);
export type UserFacts = Static<typeof userFacts>;

/** Who looks at a user: `role` is what they may do in the organisation, bound keys nothing. */
export type Onlooker = {
  readonly userId: UserId;
  readonly organizationRole: OrganizationRole | null;
  readonly organizationId: OrganizationId;
};

export const userAnswer = (
  shown: UserFacts,
  organization_name: string,
  onlooker: Onlooker,
): Static<typeof user> => ({
  ...shown,
  organization_name,
  permissions: [
    ...userPermissions(onlooker.organizationRole, {
      isSelf: shown.id === onlooker.userId,
      role: shown.role,
    }),
  ],
  generic_permissions: [],
});
