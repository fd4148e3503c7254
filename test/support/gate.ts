import { openGate } from '../../command-api/access/gate.js';
import type { AuthenticationNeeds } from '../../command-api/access/authenticate.js';
import { openThrottle } from '../../command-api/access/throttle.js';
import type { Gate, Sights } from '../../contract/gate.js';
import { openPasswords } from '../../engines/argon2/passwords.js';
import { openAccessTokens } from '../../engines/jose/access-tokens.js';
import { randomIds } from '../../engines/node/ids.js';
import { openSecrets } from '../../engines/node/secrets.js';
import type { Clock, EventReader } from '../../kernel/ports.js';

/** The secrets of a test's installation. */
export const testSecrets = openSecrets(Buffer.alloc(32, 7));

/** The gate over a log, with everything beside it as the service has it. */
export const testGate = (
  given: {
    readonly log: EventReader;
    readonly clock: Clock;
    readonly sights?: Sights;
  } & Partial<AuthenticationNeeds>,
): Gate =>
  openGate({
    ids: randomIds,
    secrets: testSecrets,
    passwords: openPasswords({ pepper: testSecrets.passwordPepper, clock: given.clock }),
    tokens: openAccessTokens(testSecrets.accessTokenSeed),
    throttle: openThrottle(given.clock),
    ...given,
  });
