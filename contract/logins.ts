import { Type, type Static } from 'typebox';
import { id, namedSchema, nullable, oneOf, secret } from '../kernel/schema-types.js';
import type { Complaint } from '../kernel/fault.js';
import { message } from './envelope.js';
import { operation } from './operation.js';
import { projectRoles, type Principal } from './roles.js';
import { user } from './users.js';

/** Identity providers of contract 4.2; the configuration enables them. */
export const identityProviders = [
  'google',
  'github',
  'okta',
  'azure-ad',
  'custom',
  'saml',
] as const;
export type IdentityProvider = (typeof identityProviders)[number];

/** Length of a password in code points (contract 2.5). */
export const passwordLength = { minLength: 12, maxLength: 128 } as const;

/** Text of every failed login, so that it does not reveal which part was wrong. */
export const loginFailed = 'Login failed';

/** Response of every login (contract 4.2); the refresh cookie comes with it. */
export const tokenAnswer = namedSchema(
  'AccessToken',
  Type.Object({
    access_token: secret(),
    token_type: oneOf(['bearer']),
  }),
);
export type TokenAnswer = Static<typeof tokenAnswer>;

const withoutCredential = {
  method: 'POST',
  schemes: [],
  requires: 'public',
} as const;

export const socialLogin = operation({
  ...withoutCredential,
  operationId: 'socialLogin',
  summary: 'Log in with the id_token of an identity provider',
  description:
    'Each `id_token` works once. Every failure is the same 401; users are never ' +
    'created by a login alone.',
  example: { id_token: 'eyJhbGciOiJFUzI1NiIs...', provider: 'okta' },
  section: '4.2',
  path: '/v2/login/social',
  cookie: true,
  body: Type.Object({
    id_token: Type.Optional(secret({ minLength: 1, maxLength: 16_384 })),
    provider: oneOf(identityProviders),
    access_token: Type.Optional(nullable(secret())),
  }),
  response: tokenAnswer,
});

/** Requires `id_token` unless there is an `access_token`, which proves nothing. */
export const tokenComplaints = ({
  id_token,
  access_token,
}: {
  readonly id_token?: string;
  readonly access_token?: string | null;
}): readonly Complaint[] =>
  id_token === undefined && access_token == null
    ? [{ loc: ['body', 'id_token'], msg: 'Field required', type: 'missing' }]
    : [];

export const login = operation({
  ...withoutCredential,
  operationId: 'login',
  summary: 'Log in with an e-mail and a password',
  description: 'Every failure is the same 401. The refresh cookie comes beside the token.',
  example: {
    username: 'ada@example.org',
    password: 'correct horse battery',
    grant_type: 'password',
  },
  section: '5.1',
  path: '/v2/login',
  encoding: 'urlencoded',
  cookie: true,
  body: Type.Object({
    username: Type.String(),
    password: secret(),
    grant_type: Type.Optional(Type.String({ pattern: '^password$' })),
  }),
  response: tokenAnswer,
});

export const loginWithApiKey = operation({
  ...withoutCredential,
  operationId: 'loginWithApiKey',
  summary: 'Exchange an API key for an access token with its rights',
  description: 'The token has the rights of the key and comes without a cookie.',
  example: { api_key: 'asy_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf0osngO' },
  section: '5.1',
  path: '/v2/login/api_key',
  body: Type.Object({ api_key: secret() }),
  response: tokenAnswer,
});

export const refreshToken = operation({
  operationId: 'refreshToken',
  summary: 'Renew the access token with the refresh cookie',
  description:
    'Answers a new access token and the successor of the cookie. Using an old cookie ' +
    'again ends the login.',
  section: '4.3',
  method: 'POST',
  path: '/v2/refresh_token',
  schemes: ['C'],
  requires: 'cookie',
  cookie: true,
  response: tokenAnswer,
});

export const logout = operation({
  operationId: 'logout',
  summary: 'End the login of the refresh cookie or of the bearer token',
  description: 'Access tokens of that login end as well. A token of an API key is left as it is.',
  section: '5.1',
  method: 'POST',
  path: '/v2/logout',
  schemes: ['C', 'B'],
  requires: 'cookie',
  cookie: true,
  response: message,
});

const currentUser = namedSchema(
  'CurrentUser',
  Type.Object({
    ...user.properties,
    credential: namedSchema(
      'Credential',
      Type.Object({
        /** `login`: a person's bearer token; `password`: HTTP Basic; a key's token is `api_key`. */
        type: oneOf(['api_key', 'login', 'password']),
        /** Id of the key, or of the login (`sid`); null for a password. */
        id: nullable(Type.String()),
        project_id: nullable(id('ProjectId')),
        project_role: nullable(oneOf(projectRoles)),
      }),
    ),
  }),
);

/** The credential of a request, with the limits of its key (contract 2.4). */
export const credentialAnswer = ({
  key,
  login: session,
}: Pick<Principal, 'key' | 'login'>): Static<typeof currentUser>['credential'] =>
  key === null
    ? {
        type: (session?.familyId ?? null) === null ? 'password' : 'login',
        id: session?.familyId ?? null,
        project_id: null,
        project_role: null,
      }
    : { type: 'api_key', id: key.id, project_id: key.projectId, project_role: key.projectRole };

export const getCurrentUser = operation({
  operationId: 'getCurrentUser',
  summary: 'The caller; for a key, its creator',
  description:
    'With an API key: the user who created the key. `credential` says what the caller sent.',
  section: '5.1',
  method: 'GET',
  path: '/v2/current_user',
  requires: 'signed-in',
  response: currentUser,
});

export const changePassword = operation({
  operationId: 'changePassword',
  summary: 'Change one’s own password; other logins end',
  description:
    'For logins by password or HTTP Basic only; a wrong current password is a ' +
    'validation error.',
  example: { current_password: 'correct horse battery', new_password: 'battery staple correct' },
  section: '5.1',
  method: 'PUT',
  path: '/v2/current_user/password',
  schemes: ['B', 'P'],
  requires: 'person',
  body: Type.Object({ current_password: secret(), new_password: secret(passwordLength) }),
  response: message,
});

export const loginOperations = [
  socialLogin,
  refreshToken,
  login,
  loginWithApiKey,
  logout,
  getCurrentUser,
  changePassword,
];
