import { dirname, resolve } from 'node:path';
import { Type, type Static } from 'typebox';
import { parseJsonText } from '../../kernel/json-text.js';
import { identityProviders, type IdentityProvider } from '../../contract/logins.js';
import { Fault } from '../../kernel/fault.js';
import type { Files } from '../../kernel/ports.js';
import { oneOf } from '../../kernel/schema-types.js';
import { compileGuard } from '../ajv/compile.js';
import { identityAlgorithms, type IdentityAlgorithm, type KeySource } from './key-set.js';
import { remoteKeys, fileKeys } from './key-sources.js';

/** A trusted identity provider and the limits of that trust. */
export type TrustedProvider = {
  readonly name: IdentityProvider;
  readonly issuers: readonly string[];
  /** Our client ids there. */
  readonly audiences: readonly string[];
  readonly algorithms: readonly IdentityAlgorithm[];
  readonly keys: KeySource;
  /** Lower-case e-mail domains it may vouch for; null = any. */
  readonly emailDomains: readonly string[] | null;
  /** True if tokens must have a `nonce`, each valid once. */
  readonly isNonceRequired: boolean;
};

const text = Type.String({ minLength: 1, maxLength: 1_000 });
const oneOrMore = Type.Union([text, Type.Array(text, { minItems: 1, maxItems: 20 })]);
const providerSchema = Type.Object(
  {
    provider: oneOf(identityProviders),
    issuer: oneOrMore,
    audience: oneOrMore,
    jwks_uri: Type.Optional(text),
    /** The JWK set itself, or the path of a file relative to this one. */
    jwks: Type.Optional(Type.Union([text, Type.Object({ keys: Type.Array(Type.Unknown()) })])),
    algorithms: Type.Optional(Type.Array(oneOf(identityAlgorithms), { minItems: 1 })),
    email_domains: Type.Optional(Type.Array(text, { minItems: 1, maxItems: 100 })),
    nonce: Type.Optional(Type.Boolean()),
  },
  // A misspelled rule would silently not apply.
  { additionalProperties: false },
);
type ProviderEntry = Static<typeof providerSchema>;
const providersSchema = Type.Array(providerSchema, { maxItems: identityProviders.length });

const defaultAlgorithms: readonly IdentityAlgorithm[] = ['RS256', 'ES256'];

/** Reads ASSAY_IDENTITY_PROVIDERS. Throws Fault `invalid`, naming the place of the error. */
export const readProviders = async (
  files: Pick<Files, 'read'>,
  path: string,
): Promise<readonly TrustedProvider[]> => {
  const refuse = (why: string): never => {
    throw new Fault('invalid', `ASSAY_IDENTITY_PROVIDERS: ${path} ${why}`);
  };
  const bytes = (await files.read(path)) ?? refuse('is not there');
  let value: unknown;
  try {
    value = parseJsonText(Buffer.from(bytes).toString('utf8'));
  } catch {
    refuse('is not JSON');
  }
  const guarded = compileGuard(providersSchema, 'body')(value);
  if (!guarded.ok) {
    const [{ loc, msg } = { loc: [], msg: '' }] = guarded.complaints;
    return refuse(`at ${loc.slice(1).join('.') || 'the root'}: ${msg}`);
  }
  const providers = (guarded.value as readonly ProviderEntry[]).map((one) => {
    if ((one.jwks_uri === undefined) === (one.jwks === undefined)) {
      refuse(`at ${one.provider}: give either jwks_uri or jwks`);
    }
    if (one.jwks_uri !== undefined && !isTrustworthy(one.jwks_uri)) {
      refuse(`at ${one.provider}: jwks_uri must be https, or http on this machine`);
    }
    return {
      name: one.provider,
      issuers: [one.issuer].flat(),
      audiences: [one.audience].flat(),
      algorithms: one.algorithms ?? defaultAlgorithms,
      keys: keySourceOf(one, files, dirname(path)),
      emailDomains: one.email_domains?.map((domain) => domain.toLowerCase()) ?? null,
      isNonceRequired: one.nonce === true,
    };
  });
  const names = providers.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? providers : refuse(`names ${twice} twice`);
};

const keySourceOf = (
  { jwks_uri, jwks }: ProviderEntry,
  files: Pick<Files, 'read'>,
  folder: string,
): KeySource => {
  if (jwks_uri !== undefined) return remoteKeys(jwks_uri);
  return typeof jwks === 'string' ? fileKeys(files, resolve(folder, jwks)) : async () => jwks;
};

/** True for https, or http on loopback: keys fetched in clear over a network could be forged. */
const isTrustworthy = (address: string): boolean => {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && loopback.test(hostname));
};
const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;
