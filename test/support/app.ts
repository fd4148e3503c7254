import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { readConfig } from '../../config.js';
import { startService, type Service } from '../../service/service.js';
import { clientOf, type Client } from './client.js';
import { atProcessExit } from './exit-work.js';
import { temporaryFolder } from './folder.js';
import { testCache } from './sandboxes.js';

/**
 * The whole service in this process, on embedded engines and free ports, in a folder of its own.
 */
export type App = Service & {
  readonly client: Client;
  readonly apiKey: string;
  readonly dir: string;
};

export const appKey = 'in-process-test-key-0123456789abcdefgh';
/** Password of the admin, whose e-mail is `admin@localhost`. */
export const appPassword = 'in-process test password';

/**
 * Starts an app; `prepare` gets the empty data folder first. The sandbox of scorers is off unless
 * `environment` sets it.
 */
export const startApp = async (
  prepare?: (dir: string) => Promise<void>,
  environment: Readonly<Record<string, string>> = {},
): Promise<App> => {
  const { dir, remove } = await temporaryFolder();
  await prepare?.(dir);
  const service = await startService(
    readConfig({
      ASSAY_DATA_DIR: dir,
      ASSAY_PORT: '0',
      ASSAY_OPS_PORT: '0',
      ASSAY_BOOTSTRAP_API_KEY: appKey,
      ASSAY_BOOTSTRAP_PASSWORD: appPassword,
      ASSAY_LOG_LEVEL: 'silent',
      // Each client of a test states its own address, so that failures are counted separately.
      ASSAY_TRUSTED_PROXIES: '127.0.0.1',
      ASSAY_SANDBOX: 'off',
      ASSAY_SANDBOX_DIR: testCache,
      ...environment,
    }),
    { strict: true },
  );
  return {
    ...service,
    apiKey: appKey,
    dir,
    client: clientOf({ url: service.url, apiKey: appKey }),
    close: async () => {
      await service.close();
      await remove();
    },
  };
};

const shared = new Map<'off' | 'strict', Promise<App>>();

/**
 * One app for all test files of a process, with the sandbox of scorers where they run code: each
 * test creates projects of its own. It ends with the process, or after a file once its log is large
 * (test/support/mocha-hooks.ts).
 */
export const sharedApp = (sandbox: 'off' | 'strict' = 'off'): Promise<App> => {
  const app = shared.get(sandbox) ?? startApp(removedAtExit, { ASSAY_SANDBOX: sandbox });
  shared.set(sandbox, app);
  return app;
};

const removedAtExit = async (dir: string): Promise<void> => {
  atProcessExit(() => rmSync(dir, { recursive: true, force: true }));
};

/** Size of a log from which its replay in every file costs more than another app. */
const sharedLogBytesMax = 6 * 1_024 * 1_024;

/** Closes each shared app whose log is large; the next file gets another one. */
export const closeLargeApps = async (): Promise<void> => {
  for (const [sandbox, starting] of shared) {
    const app = await starting;
    const bytes = ['log.sqlite', 'log.sqlite-wal'].reduce(
      (sum, name) => sum + (statSync(join(app.dir, name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
    if (bytes <= sharedLogBytesMax) continue;
    shared.delete(sandbox);
    await app.close();
  }
};

/** Each read model is what a replay of the log from scratch gives. */
export const expectReplayEqual = async (app: Pick<Service, 'projector'>): Promise<void> => {
  for (const { name, difference } of await app.projector.verify(null)) {
    expect(difference, name).to.equal(null);
  }
};
