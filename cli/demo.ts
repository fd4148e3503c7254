import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config.js';
import { startService } from '../service/service.js';
import { wholeNumber } from '../tools/terminal/numbers.js';
import { untilEnded, invitationWriter } from './serve.js';
import { recordDemo } from '../tools/demo/record-sample.js';

type Options = { readonly dir?: string; readonly runs: string; readonly seed: string };

/** A key for the demo only: its service listens on this machine and its data is removed with it. */
const demoKey = 'demo-key-for-this-machine-only-0001';

/** A minute: the first proof is there while one looks. */
const demoSealMs = 60_000;

/**
 * `assay demo`: starts a service on an empty folder, records a sample over HTTP, and keeps running.
 */
export const demo = async (config: Config, options: Options): Promise<void> => {
  const runs = wholeNumber('--runs', options.runs, 1);
  const seed = wholeNumber('--seed', options.seed, 0);
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'assay-demo-')));
  const apiKey = config.bootstrap.apiKey ?? demoKey;
  let tellInvitation = (): void => undefined;
  const service = await startService(
    {
      ...config,
      dataDir: dir,
      logLevel: config.logLevel === 'info' ? 'warn' : config.logLevel,
      bootstrap: { ...config.bootstrap, apiKey },
      seals: { ...config.seals, everyMs: Math.min(config.seals.everyMs, demoSealMs) },
    },
    {
      onAdminInvited: (notice) => {
        tellInvitation = () => invitationWriter(dir)(notice);
      },
    },
  );
  const kept = options.dir === undefined ? ', removed at its end (--dir keeps one)' : '';
  process.stdout.write(`The service runs on ${service.url}, its data is in ${dir}${kept}\n`);
  await recordDemo({
    baseUrl: service.url,
    apiKey,
    out: process.stdout,
    runs,
    seed,
  });
  process.stdout.write(`Look at it: ${service.url}/console/\n`);
  // Last, so that the link is in sight.
  tellInvitation();
  process.stdout.write('The service stays up; Ctrl-C ends it.\n');
  await untilEnded(service);
  if (options.dir === undefined) await rm(dir, { recursive: true, force: true });
};
