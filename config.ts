import { isIP } from 'node:net';
import { readBootstrapSettings, type BootstrapSettings } from './config/bootstrap-settings.js';
import { readEgressRules } from './config/egress-settings.js';
import { readClientSettings, type ClientSettings } from './config/client-settings.js';
import { usualKeyHeaders } from './contract/operation.js';
import type { EgressRules } from './kernel/egress.js';
import { Fault } from './kernel/fault.js';
import { parseDuration } from './kernel/durations.js';
import { sandboxModes, type SandboxMode } from './kernel/sandbox.js';
import {
  readRecordsSettings,
  refuseInvalidPlacement,
  type RecordsSettings,
} from './config/records-settings.js';
import { readTracing } from './config/tracing-settings.js';
import { readSealSettings, type SealSettings } from './config/seal-settings.js';
import { logLevels, variables, type LogLevel } from './config/variables.js';

/** Every role that one program can play; they share nothing but the engines. */
export const roles = ['command', 'query', 'projections', 'worker'] as const;
export type Role = (typeof roles)[number];

export type Config = RecordsSettings & {
  readonly host: string;
  /** 0: any free port; the line `ready` of the log names it. */
  readonly port: number;
  /** Address of the operators' listener, whose metrics need no credential. */
  readonly opsHost: string;
  readonly opsPort: number;
  /** The token that operators' commands send; null: they are accepted from this machine alone. */
  readonly opsToken: string | null;
  readonly dataDir: string;
  /** Null: the embedded engine. Connection strings may hold passwords: never log them. */
  readonly eventStoreUrl: string | null;
  readonly mongodbUrl: string | null;
  readonly natsUrl: string | null;
  /** Roles of this process; all unless `serve --roles` is given. */
  readonly roles: readonly Role[];
  /** 32 bytes in base64; null: kept in the data folder. */
  readonly secretKey: string | null;
  readonly apiKeyHeaders: readonly string[];
  /** Addresses, or networks as `address/bits`, of proxies whose `X-Forwarded-…` are trusted. */
  readonly trustedProxies: readonly string[];
  /** Path of the file of accepted identity providers; null: no id_tokens are accepted. */
  readonly identityProviders: string | null;
  readonly bootstrap: BootstrapSettings;
  /** Hosts that it may call for its users. */
  readonly egress: EgressRules;
  /** Whether the browser console is served at `/console`; `watch`: read anew at each request. */
  readonly console: 'on' | 'off' | 'watch';
  /** Limit of the read models' lag, beyond which `/readyz` is red. */
  readonly lagMaxMs: number;
  readonly seals: SealSettings;
  /** Backup retention in days for certificates of deletions; null: undeclared. */
  readonly backupDays: number | null;
  /** Threads of node's pool, which works on DuckDB statements, passwords and files. */
  readonly poolThreads: number;
  readonly logLevel: LogLevel;
  readonly sandbox: SandboxMode;
  /** Null: a folder of this account among the temporary files. */
  readonly sandboxDir: string | null;
  /** The service exports spans of its own by OpenTelemetry (`OTEL_*`). */
  readonly isTraced: boolean;
};

type Environment = Readonly<Record<string, string | undefined>>;
/**
 * Reads the environment once. Throws Fault `invalid` naming the variable and what is allowed; an
 * unknown name that begins with ASSAY_ is refused too, so that typos fail at startup (ASSAY_TEST_*
 * belong to the tests).
 */
export const readConfig = (environment: Environment): Config => {
  refuseUnknownVariables(environment);
  const text = (name: string, fallback: string): string => environment[name]?.trim() || fallback;
  const url = (name: string, form: RegExp, allowed: string): string | null => {
    const value = text(name, '');
    if (value !== '' && !form.test(value)) throw invalidVariable(name, `must be ${allowed}`);
    return value || null;
  };
  const config: Config = {
    host: text('ASSAY_HOST', '127.0.0.1'),
    port: port('ASSAY_PORT', text('ASSAY_PORT', '8080')),
    opsHost: text('ASSAY_OPS_HOST', '127.0.0.1'),
    opsPort: port('ASSAY_OPS_PORT', text('ASSAY_OPS_PORT', '8081')),
    opsToken: opsToken(text('ASSAY_OPS_TOKEN', '')),
    dataDir: text('ASSAY_DATA_DIR', './data'),
    eventStoreUrl: url('ASSAY_EVENTSTORE_URL', /^esdb(\+discover)?:\/\/\S+$/, 'esdb://host:port'),
    mongodbUrl: url('ASSAY_MONGODB_URL', /^mongodb(\+srv)?:\/\/\S+$/, 'mongodb://host:port'),
    natsUrl: url('ASSAY_NATS_URL', /^(nats|tls):\/\/\S+$/, 'nats://host:port'),
    roles,
    secretKey: secretKey(text('ASSAY_SECRET_KEY', '')),
    apiKeyHeaders: text('ASSAY_API_KEY_HEADERS', usualKeyHeaders.join(','))
      .split(',')
      .map((name) => headerName(name.trim())),
    trustedProxies: proxies(text('ASSAY_TRUSTED_PROXIES', '')),
    identityProviders: text('ASSAY_IDENTITY_PROVIDERS', '') || null,
    bootstrap: readBootstrapSettings(environment, text),
    egress: readEgressRules(text),
    console: choiceIn('ASSAY_CONSOLE', ['on', 'off', 'watch'], text('ASSAY_CONSOLE', 'on')),
    ...readRecordsSettings(text),
    lagMaxMs: lagMax(text('ASSAY_LAG_MAX', '60s')),
    seals: readSealSettings(text),
    backupDays: backupDaysOf(text('ASSAY_BACKUP_DAYS', '')),
    // Read as node itself does.
    poolThreads: Number(environment['UV_THREADPOOL_SIZE'] ?? 4) || 4,
    logLevel: choiceIn('ASSAY_LOG_LEVEL', logLevels, text('ASSAY_LOG_LEVEL', 'info')),
    sandbox: choiceIn('ASSAY_SANDBOX', sandboxModes, text('ASSAY_SANDBOX', 'strict')),
    sandboxDir: text('ASSAY_SANDBOX_DIR', '') || null,
    isTraced: readTracing(text),
  };
  refuseInvalidCombinations(config);
  return config;
};

/** Settings of commands that use a service like clients do; ignores other variables. */
export const readClientEnvironment = (environment: Environment): ClientSettings => {
  refuseUnknownVariables(environment);
  return readClientSettings(environment);
};

const refuseUnknownVariables = (environment: Environment): void => {
  for (const name of Object.keys(environment)) {
    if (!name.startsWith('ASSAY_') || name.startsWith('ASSAY_TEST_')) continue;
    if (!variables.some((variable) => variable.name === name)) {
      throw invalidVariable(
        name,
        `is not known; known are ${variables.map((one) => one.name).join(', ')}`,
      );
    }
  }
};

/**
 * The configuration with these roles only, `command,query` for example. Throws Fault `invalid` for
 * an unknown role, and when an engine is embedded: then one process has every role.
 */
export const withRoles = (config: Config, list: string): Config => {
  const asked = list.split(',').map((name) => name.trim());
  const unknown = asked.find((name) => !roles.some((role) => role === name));
  if (unknown !== undefined) {
    throw new Fault('invalid', `--roles knows ${roles.join(', ')}; not '${unknown}'`);
  }
  const chosen = roles.filter((role) => asked.includes(role));
  if (chosen.length < roles.length && (!config.eventStoreUrl || !config.mongodbUrl)) {
    throw new Fault(
      'invalid',
      '--roles splits a service over processes, and embedded engines have one process only; ' +
        'set ASSAY_EVENTSTORE_URL and ASSAY_MONGODB_URL, or leave --roles out',
    );
  }
  return { ...config, roles: chosen };
};

/** Part of the configuration that a thread needs to open the same engines. */
export const engineChoiceOf = (config: Config) => {
  const { dataDir, eventStoreUrl, mongodbUrl, natsUrl, isTraced } = config;
  const { recordsMemoryMb, records, recordsPartitions } = config;
  const stores = { dataDir, eventStoreUrl, mongodbUrl, natsUrl, isTraced };
  return { ...stores, recordsMemoryMb, records, recordsPartitions };
};

/** Refuses combinations of settings that are valid only on their own. */
const refuseInvalidCombinations = (config: Config): void => {
  const { eventStoreUrl, secretKey, ...listeners } = config;
  refuseInvalidPlacement(config);
  if (hasPortConflict(listeners)) {
    throw invalidVariable(
      'ASSAY_OPS_PORT',
      `must not be ASSAY_PORT, which is ${listeners.port} too`,
    );
  }
  if (eventStoreUrl === null) return;
  if (secretKey === null) {
    throw invalidVariable(
      'ASSAY_SECRET_KEY',
      'is required with ASSAY_EVENTSTORE_URL: all processes of a service hash keys with the same ' +
        'one. Make it with: openssl rand -base64 32',
    );
  }
  // The client would silently drop the credentials and connect anonymously.
  if (/^[^/]*\/\/[^/?]*@/.test(eventStoreUrl) && /[?&]tls=false/i.test(eventStoreUrl)) {
    throw invalidVariable(
      'ASSAY_EVENTSTORE_URL',
      'has credentials and tls=false; drop one of them',
    );
  }
};

const hasPortConflict = (
  config: Pick<Config, 'host' | 'port' | 'opsHost' | 'opsPort'>,
): boolean => {
  const { host, port, opsHost, opsPort } = config;
  const isEverywhere = [host, opsHost].some((one) => one === '0.0.0.0' || one === '::');
  return port !== 0 && port === opsPort && (host === opsHost || isEverywhere);
};

/** Configuration for the first log line: secrets show only whether they are set. */
export const maskedConfig = (config: Config): Readonly<Record<string, unknown>> => ({
  ...config,
  eventStoreUrl: config.eventStoreUrl === null ? 'embedded' : 'set',
  mongodbUrl: config.mongodbUrl === null ? 'embedded' : 'set',
  natsUrl: config.natsUrl === null ? 'in process' : 'set',
  opsToken: config.opsToken === null ? 'none' : 'set',
  secretKey: config.secretKey === null ? 'data folder' : 'set',
  seals: { ...config.seals, witnesses: config.seals.witnesses.length },
  bootstrap: {
    organization: config.bootstrap.organization,
    email: config.bootstrap.email,
    apiKey: config.bootstrap.apiKey === null ? 'minted' : 'set',
    password: config.bootstrap.password === null ? 'none' : 'set',
  },
});

const invalidVariable = (name: string, why: string): Fault =>
  new Fault('invalid', `${name} ${why}`);

const port = (name: string, text: string): number => {
  const value = Number(text);
  if (!/^\d{1,5}$/.test(text) || value > 65_535) throw invalidVariable(name, 'must be 0 to 65535');
  return value;
};

/** 32 bytes in base64 or base64url: the decoder would ignore other characters. */
const secretKeyForm = /^[\w+/-]{43}=?$/;
const secretKey = (text: string): string | null => {
  if (text === '') return null;
  if (!secretKeyForm.test(text))
    throw invalidVariable('ASSAY_SECRET_KEY', 'must be 32 bytes in base64');
  return text;
};

/** A long token, as it is sent as a header and guesses are not rate limited. */
const opsToken = (text: string): string | null => {
  if (text !== '' && !/^[!-~]{24,256}$/.test(text)) {
    throw invalidVariable('ASSAY_OPS_TOKEN', 'must be 24 to 256 characters: openssl rand -hex 24');
  }
  return text || null;
};

const headerName = (text: string): string => {
  if (!/^[A-Za-z0-9-]{1,64}$/.test(text)) {
    throw invalidVariable('ASSAY_API_KEY_HEADERS', 'must be a comma list of header names');
  }
  return text;
};

const proxies = (text: string): readonly string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map((one) => {
      if (isNetwork(one)) return one;
      throw invalidVariable(
        'ASSAY_TRUSTED_PROXIES',
        'must be a comma list of addresses or networks',
      );
    });

const isNetwork = (text: string): boolean => {
  const [address = '', bits = '0', ...rest] = text.split('/');
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most;
};

/** Lower limit: one batch of folding or a lost notification stays below it. */
const lagMax = (text: string): number => {
  const time = parseDuration(text);
  if (time !== null && time >= 5_000 && time <= 86_400_000) return time;
  throw invalidVariable('ASSAY_LAG_MAX', 'must be 5s to 24h, for example 90s or 5m');
};

const backupDaysOf = (text: string): number | null => {
  if (text === '') return null;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 36_500) return Number(text);
  throw invalidVariable('ASSAY_BACKUP_DAYS', 'must be 0 to 36500');
};

const choiceIn = <T extends string>(name: string, known: readonly T[], text: string): T => {
  const found = known.find((one) => one === text);
  if (found === undefined) throw invalidVariable(name, `must be one of ${known.join(', ')}`);
  return found;
};
