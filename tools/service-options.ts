import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { Fault } from '../kernel/fault.js';
import type { ServiceAccess } from './api-client.js';
import type { ClientSettings } from '../config/client-settings.js';
import { wholeNumber } from './terminal/numbers.js';
import type { TargetOptions } from './run-target.js';

export type AccessOptions = {
  readonly url?: string;
  readonly key?: string;
  readonly apiKey?: string;
  readonly retryFor?: string;
};

export const targetOptionsOf = (
  { project: asked, logStream, experiment }: TargetOptions,
  { project: usual }: ClientSettings,
): TargetOptions => {
  const project = asked ?? usual;
  return {
    ...(project !== null && { project }),
    ...(logStream !== undefined && { logStream }),
    ...(experiment !== undefined && { experiment }),
  };
};

/** Adds the options that select records and the service. */
export const withTargetOptions = (command: Command, named: string): Command =>
  withAccessOptions(
    command
      .option('--project <name>', `${named} (default: ASSAY_PROJECT)`)
      .option('--log-stream <name>', named)
      .option('--experiment <name>', 'name or id of an experiment, instead of --log-stream'),
  );

/** Adds the option of commands that retry while the service is unreachable. */
export const withRetryOption = (command: Command): Command =>
  command.option(
    '--retry-for <seconds>',
    `how long a service that goes away is waited for (default: ${retryForDefault}); with it, ` +
      'one that is away from the start too',
  );
const retryForDefault = 300;

/** Options that name a service and a key of it. */
export const withServiceOptions = (command: Command): Command =>
  command
    .option(
      '--url <url>',
      'address of the service (default: ASSAY_URL, else http://localhost:8080)',
    )
    .option(
      '--key <key>',
      'API key; ASSAY_API_KEY is safer: other users of this machine cannot see it',
    );

export const withAccessOptions = (command: Command): Command =>
  withServiceOptions(command).option('--api-key <file>', 'file with the API key');

export const serviceAccessOf = async (
  environment: ClientSettings,
  { url, key, apiKey, retryFor }: AccessOptions,
): Promise<ServiceAccess> => ({
  url: url ?? environment.url,
  apiKey: key ?? (apiKey === undefined ? environment.apiKey : await readApiKeyFile(apiKey)),
  retryForMs: wholeNumber('--retry-for', retryFor ?? String(retryForDefault), 0) * 1_000,
  waitsForFirstContact: retryFor !== undefined,
});

const readApiKeyFile = async (path: string): Promise<string> => {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (cause) {
    throw new Fault('invalid', `${path} cannot be read`, { cause });
  }
};
