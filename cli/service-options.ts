import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { Fault } from '../kernel/fault.js';
import type { ServiceAccess } from './api-client.js';
import type { ClientSettings } from '../config/client-settings.js';
import { wholeNumber } from './numbers.js';
import type { PlaceOptions } from './run-place.js';

export type AccessOptions = {
  readonly url?: string;
  readonly key?: string;
  readonly apiKey?: string;
  readonly retryFor?: string;
};

export const placeOf = (
  { project: asked, logStream, experiment }: PlaceOptions,
  { project: usual }: ClientSettings,
): PlaceOptions => {
  const project = asked ?? usual;
  return {
    ...(project !== null && { project }),
    ...(logStream !== undefined && { logStream }),
    ...(experiment !== undefined && { experiment }),
  };
};

/** The options that say where records are and how the service is reached. */
export const placed = (command: Command, named: string): Command =>
  accessed(
    command
      .option('--project <name>', `${named} (default: ASSAY_PROJECT)`)
      .option('--log-stream <name>', named)
      .option('--experiment <name>', 'name or id of an experiment instead'),
  );

/** The option of commands that wait for a service that is away. */
export const waiting = (command: Command): Command =>
  command.option(
    '--retry-for <seconds>',
    `how long a service that goes away is waited for (default: ${usualPatience}); with it, ` +
      'one that is away from the start too',
  );
const usualPatience = 300;

export const accessed = (command: Command): Command =>
  command
    .option('--url <url>', 'of the service (default: ASSAY_URL, else http://localhost:8080)')
    .option('--key <key>', 'an API key; ASSAY_API_KEY is not seen by others on this machine')
    .option('--api-key <file>', 'the file that holds an API key instead');

export const accessOf = async (
  environment: ClientSettings,
  { url, key, apiKey, retryFor }: AccessOptions,
): Promise<ServiceAccess> => ({
  url: url ?? environment.url,
  apiKey: key ?? (apiKey === undefined ? environment.apiKey : await keyIn(apiKey)),
  patienceMs: wholeNumber('--retry-for', retryFor ?? String(usualPatience), 0) * 1_000,
  waitsAtFirst: retryFor !== undefined,
});

const keyIn = async (path: string): Promise<string> => {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (cause) {
    throw new Fault('invalid', `${path} cannot be read`, { cause });
  }
};
