import { usualKeyHeaders } from '../contract/operation.js';
import { bootstrapVariables } from './bootstrap-settings.js';
import { clientVariables } from './client-settings.js';
import { egressVariables } from './egress-settings.js';
import { recordsVariables } from './records-settings.js';
import { sealVariables } from './seal-settings.js';

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

type Variable = {
  readonly name: string;
  readonly fallback: string;
  readonly meaning: string;
  readonly secret?: true;
};

/** Names, defaults and meanings, as `assay serve --help` prints them (docs/configuration.md). */
export const variables: readonly Variable[] = [
  { name: 'ASSAY_HOST', fallback: '127.0.0.1', meaning: 'address of the API' },
  { name: 'ASSAY_PORT', fallback: '8080', meaning: 'the API; 0 = any free port' },
  { name: 'ASSAY_OPS_HOST', fallback: '127.0.0.1', meaning: 'address of the operators’ listener' },
  { name: 'ASSAY_OPS_PORT', fallback: '8081', meaning: '/healthz, /readyz, /metrics, commands' },
  {
    name: 'ASSAY_OPS_TOKEN',
    fallback: 'none: commands from this machine alone',
    meaning:
      'token of operators’ commands, for the service and for the commands: 24 to 256 characters',
    secret: true,
  },
  { name: 'ASSAY_DATA_DIR', fallback: './data', meaning: 'log, read models, secret key' },
  {
    name: 'ASSAY_EVENTSTORE_URL',
    fallback: 'embedded',
    meaning: 'EventStoreDB for the log: esdb://… or esdb+discover://…',
    secret: true,
  },
  {
    name: 'ASSAY_MONGODB_URL',
    fallback: 'embedded',
    meaning: 'MongoDB for the read models: mongodb://… or mongodb+srv://…',
    secret: true,
  },
  {
    name: 'ASSAY_NATS_URL',
    fallback: 'in process',
    meaning: 'NATS for notifications: nats://… or tls://…, several by comma',
    secret: true,
  },
  {
    name: 'ASSAY_SECRET_KEY',
    fallback: 'made in the data folder; required with ASSAY_EVENTSTORE_URL',
    meaning: 'base64, 32 bytes: wraps data keys, peppers hashes, signs access tokens',
    secret: true,
  },
  {
    name: 'ASSAY_API_KEY_HEADERS',
    fallback: usualKeyHeaders.join(','),
    meaning: 'comma list of header names that may carry a key',
  },
  {
    name: 'ASSAY_IDENTITY_PROVIDERS',
    fallback: 'none',
    meaning: 'JSON file of the OpenID Connect providers for social login: docs/configuration.md',
  },
  {
    name: 'ASSAY_TRUSTED_PROXIES',
    fallback: 'none',
    meaning: 'comma list of trusted proxies: addresses or networks (10.0.0.0/8)',
  },
  ...egressVariables,
  ...bootstrapVariables,
  ...recordsVariables,
  {
    name: 'ASSAY_CONSOLE',
    fallback: 'on',
    meaning: 'on, off or watch: the browser console at /console',
  },
  {
    name: 'ASSAY_LAG_MAX',
    fallback: '60s',
    meaning: 'longest lag of a read model before /readyz is red: 5s to 24h',
  },
  ...sealVariables,
  {
    name: 'ASSAY_BACKUP_DAYS',
    fallback: 'unknown',
    meaning: 'retention of your backups, for certificates of deletions: 0 to 36500 days',
  },
  ...clientVariables,
  { name: 'ASSAY_LOG_LEVEL', fallback: 'info', meaning: logLevels.join(', ') },
  {
    name: 'ASSAY_SANDBOX',
    fallback: 'strict',
    meaning:
      'code scorers run in bubblewrap (strict), where that fails in deno alone (deno), or off',
  },
  {
    name: 'ASSAY_SANDBOX_DIR',
    fallback: 'assay-sandbox-<account> among the temporary files',
    meaning: 'folder for the interpreter of scorers; every account must be able to enter it',
  },
];
