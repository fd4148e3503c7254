import {
  openRightsCache,
  rightsSubject,
  type RightsCache,
} from '../command-api/access/rights-cache.js';
import { affectsRights } from '../command-api/access/principals.js';
import { openPasswords } from '../engines/argon2/passwords.js';
import { systemClock } from '../engines/node/clock.js';
import { randomIds } from '../engines/node/ids.js';
import { openSecrets } from '../engines/node/secrets.js';
import { openVault } from '../engines/node/vault.js';
import type { Metrics } from '../engines/prometheus/metrics.js';
import type { NotificationBus, Clock, EventLog } from '../kernel/ports.js';
import { openKeyedMutex } from '../kernel/concurrency.js';
import { tracedPort } from '../kernel/tracing.js';
import { openLogBackpressure } from './log-backpressure.js';
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
  const memory = openRightsCache(clock);
  const written = rightsInvalidatingLog(latencyMeasuredLog(opened, clock, metrics), bus, memory);
  disposers.add('the log', () => written.close());
  const head = await written.head();
  const backpressure = openLogBackpressure({
    clock,
    metrics,
    isOnlyProcess: engines.embedded,
    head,
  });
  const limited = backpressure.withBackpressure(tracedPort(tracing, 'log', written, ['append']));
  const log = tracedPort(tracing, 'log', limited, ['read', 'last', 'page', 'streams']);
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

/** Measures how long appends take until they are durable. */
const latencyMeasuredLog = (log: EventLog, clock: Clock, metrics: Metrics): EventLog => ({
  ...log,
  append: async (batch) => {
    const began = clock.milliseconds();
    const results = await log.append(batch);
    metrics.append((clock.milliseconds() - began) / 1_000);
    return results;
  },
});

/**
 * Cache invalidation of rights: an append that may change rights drops all cached rights of users,
 * keys and logins, at once in this process and by notification in the others.
 */
const rightsInvalidatingLog = (
  log: EventLog,
  bus: NotificationBus,
  memory: Pick<RightsCache, 'invalidate'>,
): EventLog => ({
  ...log,
  append: async (batch) => {
    const results = await log.append(batch);
    // New streams need no invalidation: absence is not cached.
    const changed = batch.some(
      ({ stream, expected }) => expected !== 'none' && affectsRights(stream),
    );
    if (changed) {
      memory.invalidate();
      bus.publish(rightsSubject, null);
    }
    return results;
  },
});
