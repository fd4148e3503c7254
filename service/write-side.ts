import { openRightsCache } from '../command-api/access/rights-cache.js';
import { openPasswords } from '../engines/argon2/passwords.js';
import { systemClock } from '../engines/node/clock.js';
import { randomIds } from '../engines/node/ids.js';
import { openSecrets } from '../engines/node/secrets.js';
import { openVault } from '../engines/node/vault.js';
import { openKeyedMutex } from '../kernel/concurrency.js';
import { openProcessLog } from './process-log.js';
import { loadSecretKey } from './secret-key.js';
import type { StartupContext } from './startup-context.js';

/**
 * Write side of CQRS: the log as this process appends to it, and the secrets that decisions need.
 */
export const openWriteSide = async ({
  config,
  engines,
  metrics,
  tracing,
  disposers,
  engineWait,
}: StartupContext) => {
  const { retryUntilUp } = engineWait;
  const clock = systemClock;
  const ids = randomIds;
  const secrets = openSecrets(
    await retryUntilUp('the log', () => loadSecretKey(config, engines.dir)),
  );
  const bus = await retryUntilUp('the bus', () => engines.bus(secrets.notificationSpace));
  disposers.add('the bus', () => bus.close());
  const opened = await retryUntilUp('the log', () => engines.log(bus));
  disposers.add('the log', () => opened.close());
  const memory = openRightsCache(clock);
  const { log, backpressure } = await openProcessLog(opened, {
    clock,
    bus,
    metrics,
    tracing,
    rights: memory,
    isOnlyProcess: engines.embedded,
  });
  const passwords = openPasswords({ pepper: secrets.passwordPepper, clock });
  const keys = await retryUntilUp('the data keys', () => engines.dataKeys());
  disposers.add('the data keys', () => keys.close());
  const vault = openVault({ keys, clock, ids, ...secrets });
  return {
    backpressure,
    needs: {
      log,
      ids,
      clock,
      bus,
      memory,
      secrets,
      passwords,
      vault,
      keyedMutex: openKeyedMutex(),
    },
  };
};
