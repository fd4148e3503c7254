import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Credential } from '../../contract/request-ports.js';
import type { Scheme } from '../../contract/operation.js';
import { Fault } from '../../kernel/fault.js';

/**
 * Extracts the one credential of a request to an operation that lists these schemes (contract 2.1).
 * Throws Fault `unauthenticated` without one or for another scheme, `ambiguous-credentials` for
 * two. An unreadable one is returned empty, which every authorizer rejects. `keyHeaders` are in
 * lower case.
 */
export const credentialOf = (
  message: IncomingMessage,
  schemes: readonly Scheme[],
  keyHeaders: readonly string[],
): Credential => {
  const { keys, authorizations } = sentCredentials(message, keyHeaders);
  if (keys.length + authorizations.length > 1) {
    throw new Fault('ambiguous-credentials', 'Send one credential, not two');
  }
  const [key] = keys;
  const [authorization] = authorizations;
  const credential =
    key === undefined ? parseAuthorization(authorization) : ({ scheme: 'K', key } as const);
  if (credential === null || !schemes.includes(credential.scheme)) {
    throw new Fault('unauthenticated', credentialHint(schemes, keyHeaders));
  }
  if (credential.scheme === 'B' && apiKeyForm.test(credential.token) && schemes.includes('K')) {
    throw new Fault(
      'invalid-credentials',
      `An API key goes into the header ${shownHeader(keyHeaders)}, not into Authorization`,
    );
  }
  return credential;
};

/** Form of the service's own keys; no access token has it. */
const apiKeyForm = /^asy_(?!invite_)/;

/** First of the key headers, in its documented spelling. */
const shownHeader = ([header = '']: readonly string[]): string =>
  header.replace(/(?:^|-)[a-z]/g, (first) => first.toUpperCase()).replace(/Api(?=-|$)/g, 'API');

/** Credentials that the operation accepts (contract 2.1). */
const credentialHint = (schemes: readonly Scheme[], keyHeaders: readonly string[]): string => {
  const ways: Readonly<Record<Scheme, string>> = {
    K: `an API key in the header ${shownHeader(keyHeaders)}`,
    B: 'Authorization: Bearer with an access token',
    P: 'Authorization: Basic with e-mail and password',
    C: 'the refresh cookie',
  };
  return `Send a credential: ${schemes.map((scheme) => ways[scheme]).join(', or ')}`;
};

/** True if the request has a credential of any scheme. */
export const hasCredential = (message: IncomingMessage, keyHeaders: readonly string[]): boolean => {
  const { keys, authorizations } = sentCredentials(message, keyHeaders);
  return keys.length + authorizations.length > 0;
};

/** Node drops a second `Authorization` and joins a second key; here both are seen. */
const sentCredentials = ({ headersDistinct }: IncomingMessage, keyHeaders: readonly string[]) => ({
  keys: keyHeaders.flatMap((header) => headersDistinct[header] ?? []),
  authorizations: headersDistinct['authorization'] ?? [],
});

const parseAuthorization = (authorization: string | undefined): Credential | null => {
  if (authorization === undefined) return null;
  const [scheme = '', rest = ''] = authorization.split(/ +(.*)/s, 2);
  switch (scheme.toLowerCase()) {
    case 'bearer':
      return { scheme: 'B', token: rest };
    case 'basic':
      return parseBasic(rest);
    default:
      return null;
  }
};

const base64Form = /^[A-Za-z0-9+/]*={0,2}$/;
const parseBasic = (encoded: string): Credential => {
  const bytes = Buffer.from(encoded, 'base64');
  const text = base64Form.test(encoded) && isUtf8(bytes) ? bytes.toString('utf8') : '';
  const colon = text.indexOf(':');
  if (colon < 0) return { scheme: 'P', email: '', password: '' };
  return { scheme: 'P', email: text.slice(0, colon), password: text.slice(colon + 1) };
};
