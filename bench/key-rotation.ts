import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import {
  integrationStream,
  sealStream,
  integrationSlots,
} from '../command-api/facts/integrations.js';
import { readSeal, sealContext } from '../command-api/facts/integration-secrets.js';
import { configurationFingerprint } from '../command-api/integrations/secret-seals.js';
import { rotateCommand, type RotationResult } from '../command-api/integrations/key-rotation.js';
import { opsCaller } from '../cli/ops-client.js';
import { configurationOf, type Provider } from '../contract/integration-providers.js';
import { systemClock } from '../engines/node/clock.js';
import { diskFiles } from '../engines/node/files.js';
import { randomIds } from '../engines/node/ids.js';
import { openSecrets, ensureSecretKey } from '../engines/node/secrets.js';
import { openVault } from '../engines/node/vault.js';
import { openEngines, secretKeyFile } from '../engines/open.js';
import type { IntegrationPlace } from '../events/integrations.js';
import type { EventLog, StreamAppend } from '../kernel/ports.js';
import { loadStreamState } from '../kernel/transact.js';
import type { Vault } from '../kernel/vault.js';
import { appendOf, metadata } from '../test/support/new-events.js';
import { startService, type ServiceProcess } from '../test/support/service-process.js';
import { runAtRate, timeRuns, type BenchContext } from './bench-context.js';
import type { ResultRow } from './result-rows.js';
import { resultHash, summary } from './statistics.js';

const requestsPerSecond = 100;
const provider: Provider = 'openai';
const placesAtOnce = 200;

/**
 * Target E3. New data keys for all secrets of an installation while people configure and read
 * integrations; afterwards each secret is opened and compared.
 */
export const keyRotationRow = async (bench: BenchContext): Promise<ResultRow> => {
  const count = bench.smoke ? 100 : 10_000;
  const dir = join(bench.dir, 'key-rotation');
  const first = await startService({ dir });
  await first.stop();
  bench.say(`key-rotation: ${count} secrets into the log`);
  const places = await withVault(dir, (log, vault) => fill(log, vault, count));
  const service = await startService({ dir });
  try {
    bench.say('key-rotation: once alone, once beside requests');
    const alone = await rotated(service, count);
    const requests = requesting(service);
    const beside = await rotated(service, count).finally(requests.stop);
    const latency = summary(await requests.answered);
    await service.stop();
    const opened = await withVault(dir, (log, vault) => openAll(log, vault, places));
    return {
      name: 'key-rotation',
      what:
        'secrets of integrations sealed anew under new data keys, ' +
        'beside requests that use them',
      parameters: { secrets: count, 'requests/s': requestsPerSecond },
      unit: 's',
      measured: { value: beside, spread: 0, samples: 1 },
      baseline: { what: 'without requests', value: alone, spread: 0, samples: 1 },
      target: { most: 10 },
      more: { requests: latency.samples, 'request p99 ms': latency.p99, opened },
      hash: resultHash(opened),
    };
  } finally {
    await service.kill();
  }
};

const secretOf = (at: number): string => `secret ${at}`;

const withVault = async <T>(
  dir: string,
  work: (log: EventLog, vault: Vault) => Promise<T>,
): Promise<T> => {
  const elsewhere = { eventStoreUrl: null, mongodbUrl: null, natsUrl: null };
  const engines = await openEngines({ dataDir: dir, ...elsewhere });
  const bus = await engines.bus(null);
  const log = await engines.log(bus);
  const keys = await engines.dataKeys();
  const secrets = openSecrets(await ensureSecretKey(diskFiles, secretKeyFile(dir)));
  const vault = openVault({ keys, clock: systemClock, ids: randomIds, ...secrets });
  try {
    return await work(log, vault);
  } finally {
    await keys.close();
    await log.close();
    await bus.close();
  }
};

/** Appends what configuring integrations over HTTP would, of one user each, many at a time. */
const fill = async (
  log: EventLog,
  vault: Vault,
  count: number,
): Promise<readonly IntegrationPlace[]> => {
  const organization_id = randomIds.derive('OrganizationId', 'bootstrap');
  const places = Array.from({ length: count }, () => ({
    integration_id: randomIds.next('IntegrationId'),
    organization_id,
    user_id: randomIds.next('UserId'),
    provider,
  }));
  for (let from = 0; from < count; from += placesAtOnce) {
    const some = places.slice(from, from + placesAtOnce);
    const batches = await Promise.all(some.map((one, at) => configured(vault, one, from + at)));
    if ((await log.append(batches.flat())).includes('conflict'))
      throw new Error('the log refused an append of its only writer');
  }
  return places;
};

const configured = async (
  vault: Vault,
  place: IntegrationPlace,
  at: number,
): Promise<readonly StreamAppend[]> => {
  const configuration = configurationOf(provider, { token: secretOf(at) });
  const seal = { seal_id: randomIds.next('SealId'), seal_version: 1 };
  const sealed = await vault.seal(sealContext(place, 1), JSON.stringify(configuration.secrets));
  const fingerprint = configurationFingerprint(vault, place, configuration);
  const { settings } = configuration;
  const made = { ...place, ...seal, at: systemClock.now(), name: provider, settings, fingerprint };
  const event = (type: string, data: object) => ({ type, data, id: randomUUID(), metadata });
  return [
    appendOf(
      sealStream(place.integration_id, seal.seal_id),
      'none',
      event('IntegrationSecretsSealed', { ...place, ...seal, sealed }),
    ),
    appendOf(
      integrationStream(place.user_id, provider),
      'none',
      event('IntegrationConfigured', made),
    ),
  ];
};

/** Seconds of one rotation; throws when a secret was left behind. */
const rotated = async ({ opsUrl }: ServiceProcess, count: number): Promise<number> => {
  const [took = 0] = await timeRuns(1, async () => {
    const done = (await opsCaller(opsUrl, { opsToken: null })(rotateCommand, {})) as RotationResult;
    if (done.lost > 0 || done.resealed < count)
      throw new Error(`Not all were rotated: ${JSON.stringify(done)}`);
  });
  return took / 1_000;
};

/** Configures and reads until it is stopped; `answered` has the milliseconds of each request. */
const requesting = ({ client }: ServiceProcess) => {
  const over = new AbortController();
  const taken: number[] = [];
  const ask = async (n: number): Promise<void> => {
    const began = performance.now();
    if (n % 2 === 1) await client.call('GET', '/v2/integrations/openai');
    else await client.call('PUT', '/v2/integrations/openai', { body: { token: `own ${n}` } });
    taken.push(performance.now() - began);
  };
  const answered = ask(0)
    .then(() => runAtRate(requestsPerSecond, Infinity, (n) => ask(n + 1), over.signal))
    .then(() => taken);
  // What fails is told by whoever waits for the answers.
  answered.catch(() => null);
  return { answered, stop: () => over.abort() };
};

/** Number of secrets that open unchanged; throws when one does not. */
const openAll = async (
  log: EventLog,
  vault: Vault,
  places: readonly IntegrationPlace[],
): Promise<number> => {
  for (const [at, place] of places.entries()) {
    const { state } = await loadStreamState(
      log,
      integrationStream(place.user_id, provider),
      integrationSlots,
    );
    const seal = await readSeal(log, place.integration_id, state.integration?.sealId ?? never());
    const text = seal && (await vault.open(sealContext(place, seal.seal_version), seal.sealed));
    if (text !== JSON.stringify({ token: secretOf(at) })) throw new Error(`Not as it was: ${at}`);
  }
  return places.length;
};

const never = (): never => {
  throw new Error('an integration is gone');
};
