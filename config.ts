import { Fault } from './kernel/fault.js';

/** Every role that one program can play; they share nothing but the engines. */
export const roles = ['command', 'query', 'projections', 'worker'] as const;
export type Role = (typeof roles)[number];

export type Config = {
  readonly host: string;
  /** 0 = any free port; the line `ready` of the log names the one taken. */
  readonly port: number;
  readonly opsPort: number;
  readonly dataDir: string;
  /** base64 of 32 bytes; null = kept in the data folder. */
  readonly secretKey: string | null;
  readonly apiKeyHeaders: readonly string[];
  readonly bootstrap: {
    readonly organization: string;
    readonly email: string;
    readonly apiKey: string | null;
  };
  readonly logLevel: LogLevel;
};

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

type Environment = Readonly<Record<string, string | undefined>>;
type Variable = {
  readonly name: string;
  readonly fallback: string;
  readonly meaning: string;
  readonly secret?: true;
};

/**
 * The names, defaults and meanings of design.md section 9, also printed by `assay serve --help`.
 */
export const variables: readonly Variable[] = [
  { name: 'ASSAY_HOST', fallback: '127.0.0.1', meaning: 'address of both listeners' },
  { name: 'ASSAY_PORT', fallback: '8080', meaning: 'the API; 0 = any free port' },
  { name: 'ASSAY_OPS_PORT', fallback: '8081', meaning: '/healthz, /readyz, /metrics' },
  { name: 'ASSAY_DATA_DIR', fallback: './data', meaning: 'log, read models, secret key' },
  {
    name: 'ASSAY_SECRET_KEY',
    fallback: 'made in the data folder',
    meaning: 'base64, 32 bytes: peppers key hashes',
    secret: true,
  },
  {
    name: 'ASSAY_API_KEY_HEADERS',
    fallback: 'Service-API-Key',
    meaning: 'comma list of header names that may carry a key',
  },
  {
    name: 'ASSAY_BOOTSTRAP_ORGANIZATION',
    fallback: 'default',
    meaning: 'name of the organisation made on an empty log',
  },
  {
    name: 'ASSAY_BOOTSTRAP_EMAIL',
    fallback: 'admin@localhost',
    meaning: 'its first user, an admin',
  },
  {
    name: 'ASSAY_BOOTSTRAP_API_KEY',
    fallback: 'minted, printed once',
    meaning: 'a personal key of that admin',
    secret: true,
  },
  { name: 'ASSAY_LOG_LEVEL', fallback: 'info', meaning: logLevels.join(', ') },
];

/**
 * Reads the environment once. Throws Fault `invalid` naming the variable and what is allowed; a
 * name that begins with ASSAY_ and is not in `variables` is refused too, so a typo dies at boot
 * (ASSAY_TEST_* belong to the tests).
 */
export const readConfig = (environment: Environment): Config => {
  for (const name of Object.keys(environment)) {
    if (!name.startsWith('ASSAY_') || name.startsWith('ASSAY_TEST_')) continue;
    if (!variables.some((variable) => variable.name === name)) {
      throw refuse(name, `is not known; known are ${variables.map((one) => one.name).join(', ')}`);
    }
  }
  const text = (name: string, fallback: string): string => environment[name]?.trim() || fallback;
  return {
    host: text('ASSAY_HOST', '127.0.0.1'),
    port: port('ASSAY_PORT', text('ASSAY_PORT', '8080')),
    opsPort: port('ASSAY_OPS_PORT', text('ASSAY_OPS_PORT', '8081')),
    dataDir: text('ASSAY_DATA_DIR', './data'),
    secretKey: secretKey(text('ASSAY_SECRET_KEY', '')),
    apiKeyHeaders: text('ASSAY_API_KEY_HEADERS', 'Service-API-Key')
      .split(',')
      .map((name) => headerName(name.trim())),
    bootstrap: {
      organization: text('ASSAY_BOOTSTRAP_ORGANIZATION', 'default'),
      email: text('ASSAY_BOOTSTRAP_EMAIL', 'admin@localhost'),
      apiKey: text('ASSAY_BOOTSTRAP_API_KEY', '') || null,
    },
    logLevel: logLevel(text('ASSAY_LOG_LEVEL', 'info')),
  };
};

/** What the service runs with, for its first log line: secrets show only whether they are set. */
export const masked = (config: Config): Readonly<Record<string, unknown>> => ({
  ...config,
  secretKey: config.secretKey === null ? 'data folder' : 'set',
  bootstrap: {
    organization: config.bootstrap.organization,
    email: config.bootstrap.email,
    apiKey: config.bootstrap.apiKey === null ? 'minted' : 'set',
  },
});

const refuse = (name: string, why: string): Fault => new Fault('invalid', `${name} ${why}`);

const port = (name: string, text: string): number => {
  const value = Number(text);
  if (!/^\d{1,5}$/.test(text) || value > 65_535) throw refuse(name, 'must be 0 to 65535');
  return value;
};

const secretKey = (text: string): string | null => {
  if (text === '') return null;
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== 32) throw refuse('ASSAY_SECRET_KEY', 'must be 32 bytes in base64');
  return text;
};

const headerName = (text: string): string => {
  if (!/^[A-Za-z0-9-]{1,64}$/.test(text)) {
    throw refuse('ASSAY_API_KEY_HEADERS', 'must be a comma list of header names');
  }
  return text;
};

const logLevel = (text: string): LogLevel => {
  const level = logLevels.find((one) => one === text);
  if (level === undefined)
    throw refuse('ASSAY_LOG_LEVEL', `must be one of ${logLevels.join(', ')}`);
  return level;
};
