import type { IncomingHttpHeaders } from 'node:http';
import type { RefreshCookie } from '../../contract/operation.js';

const plainName = 'refresh_token';
/**
 * `__Host-` cookie: browsers accept it over TLS only, from this very host and for all of it, so
 * that no neighbouring host can plant one.
 */
const hostName = `__Host-${plainName}`;

/**
 * Refresh token of the request (contract 2.1, C); null without one. The `__Host-` cookie, which
 * other hosts cannot plant, takes precedence; the plain one still counts, for logins that began
 * with it.
 */
export const refreshTokenOf = ({ cookie = '' }: IncomingHttpHeaders): string | null =>
  cookieValue(hostName, cookie) ?? cookieValue(plainName, cookie);

const cookieValue = (wanted: string, cookies: string): string | null => {
  for (const pair of cookies.split(';')) {
    const [name = '', ...rest] = pair.split('=');
    const value = rest.join('=').trim();
    if (name.trim() === wanted && value !== '') return value;
  }
  return null;
};

/** Values of `Set-Cookie` (contract 2.3, rule 1). */
export const setCookieHeaders = (cookie: RefreshCookie, isSecure: boolean): readonly string[] =>
  isSecure
    ? [setCookieHeader(hostName, cookie, true), setCookieHeader(plainName, expiredCookie, true)]
    : [setCookieHeader(plainName, cookie, false)];

const setCookieHeader = (
  name: string,
  { value, maxAgeSeconds }: RefreshCookie,
  isSecure: boolean,
): string =>
  [
    `${name}=${value}`,
    'HttpOnly',
    ...(isSecure ? ['Secure'] : []),
    'SameSite=Strict',
    'Path=/',
    `Max-Age=${maxAgeSeconds}`,
  ].join('; ');

/** Expired cookie that removes the refresh token. */
export const expiredCookie: RefreshCookie = { value: '', maxAgeSeconds: 0 };

/** True if the request's page is of the same host (contract 2.3, rule 5), or there is no page. */
export const isSameOrigin = ({ origin, host = '' }: IncomingHttpHeaders): boolean => {
  if (origin === undefined) return true;
  const page = URL.parse(origin);
  if (page === null || page.host === '') return false;
  // A host with the default port of the page's scheme is the same host without it.
  return URL.parse(`${page.protocol}//${host}`)?.host === page.host;
};
