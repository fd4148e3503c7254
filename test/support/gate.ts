import { openGate } from '../../command-api/access/gate.js';
import type { AuthenticationNeeds } from '../../command-api/access/authenticate.js';
import { openMemory } from '../../command-api/access/remember.js';
import { openThrottle } from '../../command-api/access/throttle.js';
import type { Gate, Sights } from '../../contract/gate.js';
import { openPasswords } from '../../engines/argon2/passwords.js';
import { openAccessTokens } from '../../engines/jsonwebtoken/access-tokens.js';
import { randomIds } from '../../engines/node/ids.js';
import { openSecrets } from '../../engines/node/secrets.js';
import type { Clock, EventReader } from '../../kernel/ports.js';

/** The secrets of a test's installation. */
export const testSecrets = openSecrets(Buffer.alloc(32, 7));

type Given = {
  readonly log: EventReader;
  readonly clock: Clock;
} & Partial<AuthenticationNeeds>;

/** What lies beside a log for whoever is let in, as the service has it. */
export const gateNeeds = (given: Given): AuthenticationNeeds => ({
  ids: randomIds,
  secrets: testSecrets,
  passwords: openPasswords({ pepper: testSecrets.passwordPepper, clock: given.clock }),
  tokens: openAccessTokens(testSecrets.accessTokenSeed),
  throttle: openThrottle(given.clock),
  memory: openMemory(given.clock),
  ...given,
});

export const testGate = (given: Given & { readonly sights?: Sights }): Gate =>
  openGate({ ...given, ...gateNeeds(given) });
