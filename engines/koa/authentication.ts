import type { IncomingMessage } from 'node:http';
import type { RequestAuthorizer } from '../../contract/request-ports.js';
import type { Operation, Sender } from '../../contract/operation.js';
import type { Principal } from '../../contract/roles.js';
import { Fault, type Complaint } from '../../kernel/fault.js';
import { isSameOrigin, refreshTokenOf } from './refresh-cookie.js';
import { credentialOf, hasCredential } from './credentials.js';
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
