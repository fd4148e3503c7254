import { openRequestAuthorizer } from '../../command-api/access/request-authorizer.js';
import type { AuthenticationNeeds } from '../../command-api/access/authenticate.js';
import { openRightsCache } from '../../command-api/access/rights-cache.js';
import { openCredentialRateLimit } from '../../command-api/access/credential-rate-limit.js';
import type { RequestAuthorizer, VisibilityRules } from '../../contract/request-ports.js';
import { openPasswords } from '../../engines/argon2/passwords.js';
import { openAccessTokens } from '../../engines/jsonwebtoken/access-tokens.js';
import { randomIds } from '../../engines/node/ids.js';
import { openSecrets } from '../../engines/node/secrets.js';
import type { Clock, EventReader } from '../../kernel/ports.js';

/** The secrets of a test's installation. */
export const testSecrets = openSecrets(Buffer.alloc(32, 7));

type AuthorizerOptions = {
  readonly log: EventReader;
  readonly clock: Clock;
} & Partial<AuthenticationNeeds>;

/** Default needs of authentication, as in the service. */
export const authorizerNeeds = (given: AuthorizerOptions): AuthenticationNeeds => ({
  ids: randomIds,
  secrets: testSecrets,
  passwords: openPasswords({ pepper: testSecrets.passwordPepper, clock: given.clock }),
  tokens: openAccessTokens(testSecrets.accessTokenSeed),
  rateLimit: openCredentialRateLimit(given.clock),
  rightsCache: openRightsCache(given.clock),
  ...given,
});

export const testAuthorizer = (
  given: AuthorizerOptions & { readonly sights?: VisibilityRules },
): RequestAuthorizer => openRequestAuthorizer({ ...given, ...authorizerNeeds(given) });
