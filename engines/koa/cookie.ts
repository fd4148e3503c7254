import type { IncomingHttpHeaders } from 'node:http';
import type { RefreshCookie } from '../../contract/operation.js';

const cookieName = 'refresh_token';

/** The refresh token that the request brought along (contract 2.1, C); null = none. */
export const refreshTokenOf = ({ cookie = '' }: IncomingHttpHeaders): string | null => {
  for (const pair of cookie.split(';')) {
    const [name = '', ...rest] = pair.split('=');
    const value = rest.join('=').trim();
    if (name.trim() === cookieName && value !== '') return value;
  }
  return null;
};

/** The value of `Set-Cookie` (contract 2.3, rule 1). */
export const cookieLine = ({ value, maxAgeSeconds }: RefreshCookie, isSecure: boolean): string =>
  [
    `${cookieName}=${value}`,
    'HttpOnly',
    ...(isSecure ? ['Secure'] : []),
    'SameSite=Strict',
    'Path=/',
    `Max-Age=${maxAgeSeconds}`,
  ].join('; ');

/** What takes the cookie away again. */
export const noCookie: RefreshCookie = { value: '', maxAgeSeconds: 0 };

/**
 * Whether the page that sent the request is of the host it was sent to (contract 2.3, rule 5); no
 * page at all is fine.
 */
export const isOwnOrigin = ({ origin, host = '' }: IncomingHttpHeaders): boolean => {
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  const page = new URL(origin);
  const here = `${page.protocol}//${host}`;
  // A host with the default port of the page's scheme is the same host without it.
  return URL.canParse(here) && page.host !== '' && new URL(here).host === page.host;
};
