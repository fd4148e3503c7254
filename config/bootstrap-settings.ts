import { codePointCount } from '../kernel/code-points.js';
import { isEmail } from '../kernel/email.js';
import { Fault } from '../kernel/fault.js';

/** The organisation and the admin that are made on an empty log. */
export type BootstrapSettings = {
  readonly organization: string;
  readonly email: string;
  /** Null: a key is minted, and printed once. */
  readonly apiKey: string | null;
  readonly password: string | null;
};

export const bootstrapVariables = [
  {
    name: 'ASSAY_BOOTSTRAP_ORGANIZATION',
    fallback: 'default',
    meaning: 'name of the organisation made on an empty log',
  },
  {
    name: 'ASSAY_BOOTSTRAP_EMAIL',
    fallback: 'admin@localhost',
    meaning: 'e-mail of the first user, an admin',
  },
  {
    name: 'ASSAY_BOOTSTRAP_API_KEY',
    fallback: 'minted, printed once',
    meaning: 'a personal key of that admin',
    secret: true,
  },
  {
    name: 'ASSAY_BOOTSTRAP_PASSWORD',
    fallback: 'none',
    meaning: 'password of that admin while they have none: 12 to 128 characters',
    secret: true,
  },
] as const;

/** Throws Fault `invalid` naming the variable and what is allowed. */
export const readBootstrapSettings = (
  environment: Readonly<Record<string, string | undefined>>,
  text: (name: string, fallback: string) => string,
): BootstrapSettings => ({
  organization: text('ASSAY_BOOTSTRAP_ORGANIZATION', 'default'),
  email: email(text('ASSAY_BOOTSTRAP_EMAIL', 'admin@localhost')),
  apiKey: text('ASSAY_BOOTSTRAP_API_KEY', '') || null,
  password: password(environment['ASSAY_BOOTSTRAP_PASSWORD'] ?? ''),
});

const email = (text: string): string => {
  if (isEmail(text)) return text;
  throw invalidVariable(
    'ASSAY_BOOTSTRAP_EMAIL',
    `must be an e-mail: a name, @ and a host, not '${text}'`,
  );
};

/** Kept unchanged, spaces included (contract 2.5). */
const password = (text: string): string | null => {
  const length = codePointCount(text);
  if (text !== '' && (length < 12 || length > 128)) {
    throw invalidVariable('ASSAY_BOOTSTRAP_PASSWORD', 'must have 12 to 128 characters');
  }
  return text || null;
};

const invalidVariable = (name: string, why: string): Fault =>
  new Fault('invalid', `${name} ${why}`);
