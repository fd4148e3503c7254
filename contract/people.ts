import { Type, type Static } from 'typebox';
import { namedSchema, nullable } from '../kernel/schema-types.js';

/**
 * `created_by_user` (contract 3.10): null when the user was removed or the service itself acted.
 */
export const userBlock = nullable(
  namedSchema(
    'UserSummary',
    Type.Object({
      id: Type.String(),
      email: Type.String(),
      first_name: Type.String(),
      last_name: Type.String(),
    }),
  ),
);

/** Element of every `permissions` array (contract 3.10). */
export const permission = namedSchema(
  'Permission',
  Type.Object({
    action: Type.String(),
    allowed: Type.Boolean(),
    message: nullable(Type.String()),
  }),
);

export type UserBlock = Static<typeof userBlock>;
