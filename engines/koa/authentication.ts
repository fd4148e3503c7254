import type { IncomingMessage } from 'node:http';
import { isUtf8 } from 'node:buffer';
import type { RequestAuthorizer, Credential } from '../../contract/request-ports.js';
import type { Operation, Sender, Scheme } from '../../contract/operation.js';
import type { Principal } from '../../contract/roles.js';
import { Fault, type Complaint } from '../../kernel/fault.js';
import { isSameOrigin, refreshTokenOf } from './refresh-cookie.js';
import type { Peer } from './peer.js';

export type Authentication = {
  /** Null for an operation without authentication. */
  readonly principal: Principal | null;
  readonly sender: Sender;
  readonly isSecure: boolean;
};

type RequestAuthNeeds = {
  readonly authorizer: RequestAuthorizer;
  /** Lower case. */
  readonly keyHeaders: readonly string[];
  readonly peerOf: (message: IncomingMessage) => Peer;
};

/**
 * Authenticates a request by the schemes that the operation lists (contract 2.1). Throws Fault
 * `unauthenticated`, `ambiguous-credentials`, and what the authorizer throws.
 */
export const authenticateRequest = async (
  { requires, schemes }: Operation,
  message: IncomingMessage,
  { authorizer, keyHeaders, peerOf }: RequestAuthNeeds,
): Promise<Authentication> => {
  const { address, isSecure } = peerOf(message);
  const takesCookie = requires === 'cookie';
  const refreshToken = takesCookie ? refreshTokenOf(message.headers) : null;
  const needsCredential = schemes.some((scheme) => scheme !== 'C');
  const withCookie = refreshToken !== null;
  const authenticated = async (): Promise<Principal | null> => {
    if (!needsCredential || (withCookie && !hasCredential(message, keyHeaders))) return null;
    try {
      const credential = credentialOf(message, schemes, keyHeaders);
      return await authorizer.authenticate(credential, address);
    } catch (error) {
      // A request with the cookie may log out, however old the token beside it is.
      const isOld = error instanceof Fault && expiredCodes.has(error.code);
      if (withCookie && isOld) return null;
      throw error;
    }
  };
  const principal = await authenticated();
  return {
    principal,
    sender: { address, refreshToken, bearer: takesCookie ? principal : null },
    isSecure,
  };
};
const expiredCodes: ReadonlySet<string> = new Set(['invalid-credentials', 'token-expired']);

/**
 * Complaint of a missing cookie when it is the only credential, and so a part of the request
 * (contract 4.3, rule 1).
 */
export const cookieComplaints = (
  { schemes }: Operation,
  { refreshToken }: Sender,
): readonly Complaint[] =>
  refreshToken === null && schemes.length > 0 && schemes.every((scheme) => scheme === 'C')
    ? [{ loc: ['cookie', 'refresh_token'], msg: 'Field required', type: 'missing' }]
    : [];

/** Throws Fault `forbidden` for a page of another host (contract 2.3, rule 5). */
export const checkOrigin = ({ cookie }: Operation, { headers }: IncomingMessage): void => {
  if (cookie && !isSameOrigin(headers)) {
    throw new Fault('forbidden', 'Requests from pages of other hosts are not allowed');
  }
};

/**
 * Extracts the one credential of a request to an operation that lists these schemes (contract 2.1).
 * Throws Fault `unauthenticated` without one or for another scheme, `ambiguous-credentials` for
 * two. An unreadable one is returned empty, which every authorizer rejects. `keyHeaders` are in
 * lower case.
 */
const credentialOf = (
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
const hasCredential = (message: IncomingMessage, keyHeaders: readonly string[]): boolean => {
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
