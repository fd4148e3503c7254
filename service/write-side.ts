import { openMemory, rightsSubject, type Memory } from '../command-api/access/remember.js';
import { bearsRights } from '../command-api/access/rights.js';
import { openPasswords } from '../engines/argon2/passwords.js';
import { systemClock } from '../engines/node/clock.js';
import { randomIds } from '../engines/node/ids.js';
import { openSecrets } from '../engines/node/secrets.js';
import { openVault } from '../engines/node/vault.js';
import type { Metrics } from '../engines/prometheus/metrics.js';
import type { Bus, Clock, EventLog } from '../kernel/ports.js';
import { openTurns } from '../kernel/turns.js';
import { openPacing } from './pacing.js';
import { secretKey } from './secret-key.js';
import type { Starting } from './starting.js';

/** What decisions need: the log as this process writes it, and the secrets beside it. */
export const openWriteSide = async ({ config, engines, metrics, open, waiting }: Starting) => {
  const { patiently } = waiting;
  const clock = systemClock;
  const ids = randomIds;
  const secrets = openSecrets(await patiently('the log', () => secretKey(config, engines.dir)));
  const bus = await patiently('the bus', () => engines.bus(secrets.hintSpace));
  open.add('the bus', () => bus.close());
  const opened = await patiently('the log', () => engines.log(bus));
  const memory = openMemory(clock);
  const written = told(timed(opened, clock, metrics), bus, memory);
  open.add('the log', () => written.close());
  const head = await written.head();
  const pacing = openPacing({ clock, metrics, alone: engines.embedded, head });
  const log = pacing.paced(written);
  const passwords = openPasswords({ pepper: secrets.passwordPepper, clock });
  const keys = await patiently('the data keys', () => engines.dataKeys());
  open.add('the data keys', () => keys.close());
  const vault = openVault({ keys, clock, ids, ...secrets });
  return {
    pacing,
    needs: { log, ids, clock, bus, memory, secrets, passwords, vault, inTurn: openTurns() },
  };
};

/** Counts how long appends take until they are durable. */
const timed = (log: EventLog, clock: Clock, metrics: Metrics): EventLog => ({
  ...log,
  append: async (batch) => {
    const began = clock.milliseconds();
    const results = await log.append(batch);
    metrics.append((clock.milliseconds() - began) / 1_000);
    return results;
  },
});

/** What is remembered of people, keys or logins goes at once here, and elsewhere by a hint. */
const told = (log: EventLog, bus: Bus, memory: Pick<Memory, 'forget'>): EventLog => ({
  ...log,
  append: async (batch) => {
    const results = await log.append(batch);
    // What begins was not remembered: that there is none never is.
    const changed = batch.some(
      ({ stream, expected }) => expected !== 'none' && bearsRights(stream),
    );
    if (changed) {
      memory.forget();
      bus.publish(rightsSubject, null);
    }
    return results;
  },
});
